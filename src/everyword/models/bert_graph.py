"""A BERT sentence encoder as an ONNX graph: 4-bit weights repacked without loss, or dynamic int8.

In: `embeddings` float32 [texts, tokens, hidden] and `mask` int32 [texts, tokens]; or, where the graph looks the words up
itself, `input_ids` and `attention_mask` int64 [texts, tokens]. Out: `sentence` float32 [texts, hidden], the masked mean of
the last layer, of length 1; where it is asked for, `tokens` float32 [texts, tokens, hidden], that layer itself.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol

from everyword.models.e5_weights import BLOCK, BLOCK_BYTES
from everyword.models.extras import required

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from everyword.models.e5_weights import Bytes, Floats

Quantisation = Literal["q4", "int8"]

CONTRIB = "com.microsoft"
OPSET = 18
ID_INPUTS = ("input_ids", "attention_mask")
SENTENCE, TOKENS = "sentence", "tokens"
IR_VERSION = 9
INT8_PEAK = 63
"""Seven bits: two products with 8-bit activations then fit 16 bits, where processors without VNNI add them."""


class BertShape(Protocol):
    """Sizes of the network."""

    @property
    def hidden(self) -> int: ...
    @property
    def layers(self) -> int: ...
    @property
    def heads(self) -> int: ...
    @property
    def feed_forward(self) -> int: ...
    @property
    def epsilon(self) -> float: ...


class BertWeights(Protocol):
    """Weights by name: `emb.ln`, and of layer n `ln.q`, `k`, `v`, `ao`, `aln`, `fi`, `fo`, `oln`, each `.w` and `.b`."""

    @property
    def shape(self) -> BertShape: ...
    def floats(self, name: str) -> Floats:
        """Return a float32 tensor, flat."""
        ...

    def matrix(self, name: str, width: int) -> Floats:
        """Return a float32 tensor [outputs, width]."""
        ...

    def rows(self, name: str, width: int, /) -> Bytes | None:
        """Return a 4-bit tensor, uint8 [outputs, width / 32 * 18]; None where the weights are not of 4 bits."""
        ...


def write_graph(
    weights: BertWeights,
    quantisation: Quantisation,
    path: Path,
    layer_done: Callable[[int], None] | None = None,
    *,
    words: bool = False,
    tokens: bool = False,
) -> None:
    """Write the graph; `layer_done` is called with the number of layers that are built.

    `words`: it looks these up; `tokens`: it gives them too. Raise ModelMissingError.
    """
    onnx = required("onnx", extra="e5")
    graph = BertGraph(weights, quantisation)
    hidden = graph.embedded(graph.looked_up() if words else graph.given())
    for layer in range(weights.shape.layers):
        hidden = graph.layer(hidden, layer)
        if layer_done:
            layer_done(layer + 1)
    graph.pooled(hidden)
    if tokens:
        graph.told(hidden)
    onnx.save(graph.model(), str(path))


class BertGraph:
    """Inputs, nodes and constants of a graph that is being built."""

    def __init__(self, weights: BertWeights, quantisation: Quantisation) -> None:
        self._weights = weights
        self._quantisation: Quantisation = quantisation
        self._inputs: list[Any] = []
        self._nodes: list[Any] = []
        self._constants: list[Any] = []
        self._outputs: list[Any] = []

    def given(self) -> str:
        """Add the embeddings and the mask as inputs."""
        from onnx import TensorProto, helper

        shape = ["texts", "tokens"]
        self._inputs = [
            helper.make_tensor_value_info("embeddings", TensorProto.FLOAT, [*shape, self._weights.shape.hidden]),
            helper.make_tensor_value_info("mask", TensorProto.INT32, shape),
        ]
        return "embeddings"

    def looked_up(self) -> str:
        """Add ids and their mask as inputs, and the rows of words (kept in half precision), places and the one type."""
        import numpy as np
        from onnx import TensorProto, helper

        shape = ["texts", "tokens"]
        self._inputs = [helper.make_tensor_value_info(name, TensorProto.INT64, shape) for name in ID_INPUTS]
        hidden = self._weights.shape.hidden
        words = self.constant("words", self._weights.matrix("emb.word", hidden).astype(np.float16))
        places = self.constant(
            "places", self._weights.matrix("emb.pos", hidden) + self._weights.matrix("emb.type", hidden)[0]
        )
        self.node("Cast", ["attention_mask"], "mask", domain="", to=int(TensorProto.INT32))
        half = self.node("Gather", [words, "input_ids"], "half", domain="")
        rows = self.node("Cast", [half], "rows", domain="", to=int(TensorProto.FLOAT))
        size = self.node("Shape", ["input_ids"], "size", domain="", start=1, end=2)
        first = self.integers("first", [0])
        here = self.node("Slice", [places, first, size, first], "here", domain="")
        return self.node("Add", [rows, here], "embeddings", domain="")

    def embedded(self, embeddings: str) -> str:
        """Add the normalisation of the embeddings."""
        scale, bias = self.vector("emb.ln.w"), self.vector("emb.ln.b")
        return self.node(
            "LayerNormalization",
            [embeddings, scale, bias],
            "embedded",
            domain="",
            axis=-1,
            epsilon=self._weights.shape.epsilon,
        )

    def layer(self, hidden: str, number: int) -> str:
        """Add one layer: attention and feed-forward, each with its residual and normalisation."""
        prefix = f"l{number}."
        attended = self.attention(hidden, prefix)
        hidden = self.residual(hidden, attended, prefix + "aln", prefix + "ao.b")
        return self.residual(hidden, self.feed_forward(hidden, prefix), prefix + "oln", prefix + "fo.b")

    def attention(self, hidden: str, prefix: str) -> str:
        parts = [prefix + part for part in "qkv"]
        joined = self.product(hidden, [part + ".w" for part in parts], prefix + "qkv")
        biased = self.node(
            "Add", [joined, self.vector(*(part + ".b" for part in parts))], prefix + "qkv_biased", domain=""
        )
        self.split(biased, parts)
        context = self.node(
            "MultiHeadAttention", [*parts, "", "mask"], prefix + "context", num_heads=self._weights.shape.heads
        )
        return self.product(context, [prefix + "ao.w"], prefix + "attended")

    def feed_forward(self, hidden: str, prefix: str) -> str:
        wide = self.product(hidden, [prefix + "fi.w"], prefix + "wide")
        active = self.node("BiasGelu", [wide, self.vector(prefix + "fi.b")], prefix + "active")
        # A few channels of this layer are far out: one scale for all of them would cost quality, so it stays 4-bit.
        return self.product(
            active, [prefix + "fo.w"], prefix + "narrow", width=self._weights.shape.feed_forward, keep=True
        )

    def residual(self, hidden: str, change: str, norm: str, bias: str) -> str:
        inputs = [hidden, change, self.vector(norm + ".w"), self.vector(norm + ".b"), self.vector(bias)]
        return self.node("SkipLayerNormalization", inputs, norm, epsilon=self._weights.shape.epsilon)

    def pooled(self, hidden: str) -> None:
        """Add the mean over real tokens, as a product with the mask; the division falls away at unit length."""
        float32 = 1
        mask = self.node("Cast", ["mask"], "real", domain="", to=float32)
        axis = self.integers("axis", [1])
        row = self.node("Unsqueeze", [mask, axis], "real_row", domain="")
        summed = self.node("MatMul", [row, hidden], "summed_row", domain="")
        flat = self.node("Squeeze", [summed, axis], "summed", domain="")
        self.output(self.node("LpNormalization", [flat], SENTENCE, domain="", axis=-1, p=2), ["texts"])

    def told(self, hidden: str) -> None:
        """Add the tokens of the last layer as an output."""
        self.output(self.node("Identity", [hidden], TOKENS, domain=""), ["texts", "tokens"])

    def output(self, name: str, shape: list[str]) -> None:
        from onnx import TensorProto, helper

        shape_of_all = [*shape, self._weights.shape.hidden]
        self._outputs.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, shape_of_all))

    def product(self, x: str, names: list[str], out: str, *, width: int | None = None, keep: bool = False) -> str:
        """Add the product with weights, stacked where there are several; `keep` holds them as precise as they come."""
        import numpy as np

        width = width or self._weights.shape.hidden
        packed = [rows for name in names if (rows := self._weights.rows(name, width)) is not None]
        if packed and (keep or self._quantisation == "q4"):
            return self.product_q4(x, np.concatenate(packed), width, out)
        weights = np.concatenate([self._weights.matrix(name, width) for name in names])
        if keep:
            return self.node("MatMul", [x, self.constant(out + "_w", weights.T)], out, domain="")
        return self.product_int8(x, weights, out)

    def product_q4(self, x: str, rows: Bytes, width: int, out: str) -> str:
        packed, scales = repacked(rows)
        return self.node(
            "MatMulNBits",
            [x, self.constant(out + "_w", packed), self.constant(out + "_s", scales)],
            out,
            K=width,
            N=rows.shape[0],
            bits=4,
            block_size=BLOCK,
            accuracy_level=4,
        )

    def product_int8(self, x: str, weights: Floats, out: str) -> str:
        values, scales = int8_columns(weights)
        return self.node(
            "DynamicQuantizeMatMul", [x, self.constant(out + "_w", values), self.constant(out + "_s", scales)], out
        )

    def split(self, joined: str, outs: list[str]) -> None:
        from onnx import helper

        self._nodes.append(helper.make_node("Split", [joined], outs, axis=-1, num_outputs=len(outs)))

    def vector(self, *names: str) -> str:
        import numpy as np

        return self.constant("+".join(names), np.concatenate([self._weights.floats(name) for name in names]))

    def integers(self, name: str, values: list[int]) -> str:
        import numpy as np

        return self.constant(name, np.array(values, np.int64))

    def constant(self, name: str, values: npt.NDArray[Any]) -> str:
        import numpy as np
        from onnx import numpy_helper

        self._constants.append(numpy_helper.from_array(np.ascontiguousarray(values), name))
        return name

    def node(self, operator: str, inputs: list[str], out: str, *, domain: str = CONTRIB, **attributes: Any) -> str:
        from onnx import helper

        self._nodes.append(helper.make_node(operator, inputs, [out], domain=domain, **attributes))
        return out

    def model(self) -> Any:
        """Return the finished model."""
        from onnx import helper

        graph = helper.make_graph(self._nodes, "bert", self._inputs, self._outputs, self._constants)
        opsets = [helper.make_opsetid("", OPSET), helper.make_opsetid(CONTRIB, 1)]
        return helper.make_model(graph, opset_imports=opsets, ir_version=IR_VERSION)


def repacked(rows: Bytes) -> tuple[Bytes, Floats]:
    """Return the same 4-bit weights in the order of MatMulNBits: uint8 [rows, blocks, 16] and their scales.

    In the file a byte holds weights j and j + 16 of a block, in MatMulNBits weights 2j and 2j + 1.
    """
    import numpy as np

    blocks = rows.reshape(rows.shape[0], -1, BLOCK_BYTES)
    scales = blocks[..., :2].copy().view("<f2")[..., 0].astype(np.float32)
    halves = blocks[..., 2:]
    weights = np.concatenate([halves & 15, halves >> 4], axis=-1)
    packed = np.bitwise_or(weights[..., 0::2], weights[..., 1::2] << 4, dtype=np.uint8)
    return packed, scales


def int8_columns(weights: Floats) -> tuple[npt.NDArray[np.int8], Floats]:
    """Return int8 [inputs, outputs] with one symmetric scale for each output, of weights [outputs, inputs]."""
    import numpy as np

    scales = np.maximum(np.abs(weights).max(axis=1), np.finfo(np.float32).tiny) / INT8_PEAK
    return np.rint(weights / scales[:, None]).astype(np.int8).T, scales.astype(np.float32)
