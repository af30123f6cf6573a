// Where the names of a graph stand: linked ones near each other, all of them apart. The same graph always looks the same.

const STEPS = 260;

// Returns [x, y] for each of `count` points; `edges`: pairs of their numbers. About 1 is the distance of two that are linked.
export function laidOut(count, edges) {
  const points = Array.from({ length: count }, (_, at) => spiral(at));
  for (let step = 0; step < STEPS; step++) {
    const heat = 0.25 * (1 - step / STEPS) ** 1.5;
    const moves = points.map(([x, y]) => [-x * 0.06, -y * 0.06]);
    pushApart(points, moves);
    pullTogether(points, moves, edges);
    points.forEach((point, at) => moved(point, moves[at], heat));
  }
  return points;
}

function spiral(at) {
  const angle = at * 2.399963;
  const radius = 0.7 * Math.sqrt(at);
  return [radius * Math.cos(angle), radius * Math.sin(angle)];
}

function pushApart(points, moves) {
  for (let one = 0; one < points.length; one++)
    for (let other = one + 1; other < points.length; other++) {
      const dx = points[one][0] - points[other][0];
      const dy = points[one][1] - points[other][1];
      const force = 0.55 / (dx * dx + dy * dy + 0.01);
      add(moves[one], dx * force, dy * force);
      add(moves[other], -dx * force, -dy * force);
    }
}

function pullTogether(points, moves, edges) {
  for (const [one, other] of edges) {
    const dx = points[other][0] - points[one][0];
    const dy = points[other][1] - points[one][1];
    const distance = Math.hypot(dx, dy) || 0.01;
    const force = (distance - 1) * 0.6;
    add(moves[one], (dx / distance) * force, (dy / distance) * force);
    add(moves[other], (-dx / distance) * force, (-dy / distance) * force);
  }
}

function add(move, x, y) {
  move[0] += x;
  move[1] += y;
}

function moved(point, [x, y], heat) {
  const length = Math.hypot(x, y) || 1;
  const step = Math.min(length, 2) * heat;
  add(point, (x / length) * step, (y / length) * step);
}
