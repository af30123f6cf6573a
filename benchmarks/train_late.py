"""The projection of the reranker `late`: principal directions of e5's token vectors, without those that all tokens share.

Texts: generated histories (English and both Chinese scripts, of a seed that no published figure uses) and, by path, the
memories and dialogues of MADial-Bench (MIT). Nobody says which text answers which question, so there is nothing to learn
by heart; and no text of LoCoMo, LongMemEval or BEAM is seen, so their figures are of unseen data. A few minutes.

    python benchmarks/train_late.py --madial ~/data/madial --out src/everyword/models/late_e5.npz
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import numpy.typing as npt

from everyword.evals import madial
from everyword.evals.dataset import Case
from everyword.evals.generated.catalogue import generate
from everyword.models.e5 import PASSAGE, QUERY, E5Embedder, LoadedE5
from everyword.models.late import DIMENSIONS, LateWeights, hidden_tokens, write_weights
from everyword.text.windows import windows

Floats = npt.NDArray[np.float32]
LANGUAGES = {"en": 20_000, "zh-Hans": 10_000, "zh-Hant": 10_000}
"""Passage tokens that count of each: as many of English as of Chinese; an eighth as many of its questions."""
SEED = 11
HISTORY = 15_000
QUESTIONS = 250
SHARED = 4
"""Directions that nearly all tokens share: with them every token is near every other."""
MADIAL = 20_000
"""Passage tokens of MADial-Bench that count; it has fewer, half of them English."""
AT_ONCE = 16
"""Texts."""


def main() -> None:
    """Write the projection."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--madial", type=Path, required=True, help="the folder of MADial-Bench's data")
    parser.add_argument("--out", type=Path, required=True, help="the file that is written")
    parser.add_argument("--threads", type=int, help="of the model; default: one for each processor")
    options = parser.parse_args()
    sources = [(list(madial.load(options.madial).cases), MADIAL)]
    for language, most in LANGUAGES.items():
        made = generate(language=language, questions=QUESTIONS, tokens=HISTORY, seed=SEED)
        sources.append((list(made.cases), most))
    model = E5Embedder("int8", threads=options.threads).load()
    passages = np.concatenate([sample(model, PASSAGE, spoken(cases), most) for cases, most in sources])
    questions = np.concatenate([sample(model, QUERY, asked(cases), most // 8) for cases, most in sources])
    weights = projection(passages, questions)
    write_weights(weights, options.out)
    print(f"{len(passages):,} passage tokens, {len(questions):,} question tokens: {options.out.stat().st_size:,} bytes")


def spoken(cases: Iterable[Case]) -> list[str]:
    """Return the passages of all messages, each once."""
    said = (each.text for case in cases for each in case.messages)
    return list(dict.fromkeys(text[start:stop] for text in said for start, stop in windows(text)))


def asked(cases: Iterable[Case]) -> list[str]:
    return list(dict.fromkeys(question.text for case in cases for question in case.questions))


def sample(model: LoadedE5, prefix: str, texts: list[str], most: int) -> Floats:
    """Return the hidden states of some tokens of texts in a random order, float32 [tokens, 384]."""
    order = [texts[place] for place in map(int, np.random.default_rng(SEED).permutation(len(texts)))]
    found: list[Floats] = []
    for start in range(0, len(texts), AT_ONCE):
        if sum(map(len, found)) >= most:
            break
        found += hidden_tokens(model, prefix, order[start : start + AT_ONCE])
    return np.concatenate(found)[:most]


def projection(passages: Floats, questions: Floats) -> LateWeights:
    """Return the directions in which passage tokens differ most, after those that they share."""
    mean = passages.mean(axis=0)
    _, directions = np.linalg.eigh(np.cov((passages - mean).T))
    chosen = directions[:, ::-1][:, SHARED : SHARED + DIMENSIONS].astype(np.float16).astype(np.float32)
    return LateWeights(projection=chosen, question_mean=questions.mean(axis=0) @ chosen, passage_mean=mean @ chosen)


if __name__ == "__main__":
    main()
