"""
The network that reads a question beside source, as torch has it: where it starts from, and its ONNX file.

It depends on nothing else of the project.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import nn
from torch.nn import functional

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

HIDDEN, HEADS, INNER = 384, 12, 1536
LENGTH = 128
"""Most tokens of question and source with the three marks."""


class Layer(nn.Module):  # type: ignore[misc] # torch has no types here
    """One layer of BERT (Devlin et al., arXiv 1810.04805)."""

    def __init__(self) -> None:
        super().__init__()
        self.query, self.key, self.value, self.out = (nn.Linear(HIDDEN, HIDDEN) for _ in range(4))
        self.first, self.second = nn.LayerNorm(HIDDEN, 1e-12), nn.LayerNorm(HIDDEN, 1e-12)
        self.up, self.down = nn.Linear(HIDDEN, INNER), nn.Linear(INNER, HIDDEN)

    def forward(self, x: Any, mask: Any) -> Any:
        """Return the hidden states after this layer; `mask` is added to the weights of attention."""
        rows, length, _ = x.shape
        query, key, value = (
            each(x).view(rows, length, HEADS, HIDDEN // HEADS).transpose(1, 2)
            for each in (self.query, self.key, self.value)
        )
        if self.training:
            seen = functional.scaled_dot_product_attention(query, key, value, attn_mask=mask)
        else:
            near = query @ key.transpose(2, 3) / math.sqrt(HIDDEN / HEADS) + mask
            seen = torch.softmax(near, -1) @ value
        x = self.first(x + self.out(seen.transpose(1, 2).reshape(rows, length, HIDDEN)))
        return self.second(x + self.down(functional.gelu(self.up(x))))


class Pairs(nn.Module):  # type: ignore[misc] # torch has no types here
    """Scores of sequences of question and source: higher is likelier right; only differences have a meaning."""

    def __init__(self, size: int, layers: int) -> None:
        super().__init__()
        self.words, self.places = nn.Embedding(size, HIDDEN), nn.Embedding(LENGTH, HIDDEN)
        self.sides, self.norm = nn.Embedding(2, HIDDEN), nn.LayerNorm(HIDDEN, 1e-12)
        self.layers = nn.ModuleList(Layer() for _ in range(layers))
        self.joined, self.score = nn.Linear(2 * HIDDEN, HIDDEN), nn.Linear(HIDDEN, 1)

    def forward(self, tokens: Any, sides: Any, mask: Any) -> Any:
        """Return one score a row; `sides` is 0 for the question and 1 for source, `mask` 1 where there is a token."""
        x = self.words(tokens) + self.places.weight[: tokens.shape[1]][None] + self.sides(sides)
        x = self.norm(x)
        kept = mask.to(x.dtype)
        hidden = ((1 - kept) * -1e4)[:, None, None, :]
        for layer in self.layers:
            x = layer(x, hidden)
        average = (x * kept[:, :, None]).sum(1) / kept.sum(1, keepdim=True)
        return self.score(torch.tanh(self.joined(torch.cat((x[:, 0], average), 1))))[:, 0].float()


def begun(start: dict[str, Any], layers: Sequence[int]) -> Pairs:
    """Return a network with the weights of the model to start from."""
    named = {"query": "attention.self.query", "key": "attention.self.key", "value": "attention.self.value"}
    named |= {"out": "attention.output.dense", "first": "attention.output.LayerNorm"}
    named |= {"up": "intermediate.dense", "down": "output.dense", "second": "output.LayerNorm"}
    own = {"words.weight": start["words"], "places.weight": start["embeddings.position_embeddings.weight"][:LENGTH]}
    own |= {"sides.weight": start["embeddings.token_type_embeddings.weight"]}
    own |= {f"norm.{part}": start[f"embeddings.LayerNorm.{part}"] for part in ("weight", "bias")}
    for at, layer in enumerate(layers):
        for name, old in named.items():
            for part in ("weight", "bias"):
                own[f"layers.{at}.{name}.{part}"] = start[f"encoder.layer.{layer}.{old}.{part}"]
    network = Pairs(len(start["words"]), len(layers))
    network.load_state_dict({name: torch.tensor(each) for name, each in own.items()}, strict=False)
    return network


def read_start(path: Path) -> dict[str, Any]:
    """Return the weights of the int8 ONNX file of all-MiniLM-L6-v2 as floats, by their names in BERT."""
    import onnx
    from onnx import numpy_helper

    graph = onnx.load(str(path)).graph
    raw = {each.name: numpy_helper.to_array(each) for each in graph.initializer}
    weights = {name[6:]: each for name, each in raw.items() if name.startswith("inner.") and not name.endswith("_q")}
    for kind in ("word", "position"):
        name = f"inner.embeddings.{kind}_embeddings.weight"
        weights[name[6:]] = raw[f"{name}_q"].astype(np.float32) * raw[f"{name}_scale"]
    users = {name: each for each in graph.node if each.op_type == "Add" for name in each.input}
    for node in graph.node:
        if node.op_type == "MatMul" and f"{node.input[1]}_q" in raw:
            dense = raw[f"{node.input[1]}_q"].astype(np.float32) * raw[f"{node.input[1]}_scale"]
            bias = next(each for each in users[node.output[0]].input if each != node.output[0])
            weights[bias[6:].replace(".bias", ".weight")] = dense.T.copy()
    return weights


def write_network(network: Pairs, path: Path) -> None:
    """Write the network as ONNX with int8 weights of its matrices, which are multiplied as int8."""
    import onnx
    from onnxruntime.quantization import QuantType, quantize_dynamic

    network = network.cpu().float().eval()
    ones = torch.ones(2, 16, dtype=torch.int64)
    whole = path.with_suffix(".float.onnx")
    names = ["tokens", "sides", "mask"]
    axes = {name: {0: "rows", 1: "length"} for name in names}
    torch.onnx.export(
        network, (ones, torch.zeros_like(ones), ones), str(whole), input_names=names, output_names=["scores"],
        opset_version=17, dynamic_axes={**axes, "scores": {0: "rows"}}, dynamo=False,
    )  # fmt: skip
    onnx.checker.check_model(str(whole))
    quantize_dynamic(
        str(whole), str(path), weight_type=QuantType.QInt8, per_channel=True, op_types_to_quantize=["MatMul", "Gather"]
    )
