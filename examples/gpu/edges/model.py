"""Writes model.onnx: the strength of edges in a grey picture, by Sobel's two kernels."""

import onnx
from onnx import TensorProto, helper

SOBEL = [-1, 0, 1, -2, 0, 2, -1, 0, 1]
TURNED = [-1, -2, -1, 0, 0, 0, 1, 2, 1]

picture = helper.make_tensor_value_info("picture", TensorProto.FLOAT, [1, 1, "height", "width"])
edges = helper.make_tensor_value_info("edges", TensorProto.FLOAT, [1, 1, "height", "width"])
kernels = helper.make_tensor("kernels", TensorProto.FLOAT, [2, 1, 3, 3], SOBEL + TURNED)
channels = helper.make_tensor("channels", TensorProto.INT64, [1], [1])
nodes = [
    helper.make_node("Conv", ["picture", "kernels"], ["slopes"], pads=[1, 1, 1, 1]),
    helper.make_node("ReduceL2", ["slopes", "channels"], ["edges"], keepdims=1),
]
graph = helper.make_graph(nodes, "edges", [picture], [edges], [kernels, channels])
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=10)
onnx.checker.check_model(model)
onnx.save(model, "model.onnx")
