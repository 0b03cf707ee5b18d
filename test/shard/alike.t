#!/bin/sh
# Chips whose plans are made as that of the chip before was found have plans as
# good as of a search of their own, with constants in L2 and streamed from L3.
cd "$(dirname "$0")/../.." || exit 1
make -s build/test/alike || exit 1
mkdir -p build/test
sed 's/^memory L2 .*/memory L2 size=128K/' soc/siracusa-500.soc \
    >build/test/small.soc
timeout 100 build/test/alike 4 build/test/small.soc \
    zoo/transformer-int/network.onnx \
    zoo/attention-ecg-int/network.onnx zoo/resnet8-int/network.onnx \
    zoo/mobilenetv1-0.25-128-int/network.onnx
