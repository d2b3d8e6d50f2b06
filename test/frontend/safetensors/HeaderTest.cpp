//===- HeaderTest.cpp - headers, good and malformed -----------------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontend/safetensors/File.h"
#include "test/frontend/safetensors/Support.h"

using namespace mm01;
using namespace mm01::safetensors;
using namespace mm01::test;

namespace {

struct BadHeader {
  const char *name;
  std::string bytes;   // the whole file
  const char *message; // what the line says, besides the file
};

void PrintTo(const BadHeader &bad, std::ostream *out) { *out << bad.name; }

class BadHeaderTest : public testing::TestWithParam<BadHeader> {};

/// A header of one tensor "x" with these fields, over four bytes of data.
std::string one(const std::string &fields) {
  return padded("{\"x\":{" + fields + "}}", 4);
}

const std::string fourBytes = R"("data_offsets":[0,4])";

std::string lengthOf(uint64_t length) {
  return std::string(reinterpret_cast<const char *>(&length), 8);
}

/// Two tensors "x" and "y" of U8 at these offsets, over eight bytes of data.
std::string two(const std::string &x, const std::string &y) {
  auto entry = [](const std::string &name, const std::string &offsets) {
    int begin = 0, end = 0;
    sscanf(offsets.c_str(), "%d,%d", &begin, &end);
    return "\"" + name + R"(":{"dtype":"U8","shape":[)" +
           std::to_string(end - begin) + R"(],"data_offsets":[)" + offsets +
           "]}";
  };
  return padded("{" + entry("x", x) + "," + entry("y", y) + "}", 8);
}

const BadHeader badHeaders[] = {
    {"EmptyFile", "", "has 0 bytes, too few"},
    {"SevenBytes", "\1\0\0\0\0\0\0", "too few"},
    {"LengthPastEnd", lengthOf(100) + "{}", "but the file ends 2 bytes"},
    {"LengthAllOnes", std::string(16, '\xff'), "expected at most 100000000"},
    {"LengthOverLimit", lengthOf(100'000'001) + "{}", "at most 100000000"},
    {"LengthZero", lengthOf(0) + "{}", "no safetensors file"},
    {"SpaceFirst", padded(" {}", 0), "no safetensors file"},
    {"NotJson", padded("{\"x\":", 0), "is not valid JSON"},
    {"TwoValues", padded("{} {}", 0), "is not valid JSON"},
    {"NotUtf8", padded("{\"\xff\xfe\":1}", 0), "ill-formed UTF-8"},
    {"ZeroBytes", image(std::string("{}\0\0\0\0\0\0", 8), 0), "byte 2 is zero"},
    {"Array", padded("[]", 0), "no safetensors file"},
    {"DeepNesting",
     padded("{\"x\":" + std::string(100000, '[') + std::string(100000, ']') +
                "}",
            0),
     "nested more than 64 levels"},
    {"SameTensorTwice",
     padded(R"({"x":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},)"
            R"("x":{"dtype":"U8","shape":[4],"data_offsets":[0,4]}})",
            4),
     "has the key 'x' twice"},
    {"SameFieldTwice",
     one(R"("dtype":"F32","dtype":"I32","shape":[1],)" + fourBytes),
     "has the key 'dtype' twice"},
    {"MetadataNotObject", padded(R"({"__metadata__":[1]})", 0),
     "__metadata__ is [1]"},
    {"MetadataNotString", padded(R"({"__metadata__":{"a":1}})", 0),
     "entry 'a' is 1, expected a string"},
    {"TensorNotObject", padded(R"({"x":3})", 0), "tensor 'x': is 3"},
    {"NoDtype", one(R"("shape":[1],)" + fourBytes), "tensor 'x': has no dtype"},
    {"NoShape", one(R"("dtype":"F32",)" + fourBytes), "'x': has no shape"},
    {"NoOffsets", one(R"("dtype":"F32","shape":[1])"),
     "tensor 'x': has no data_offsets"},
    {"UnknownField",
     one(R"("dtype":"F32","shape":[1],"strides":[1],)" + fourBytes),
     "tensor 'x': has the key 'strides'"},
    {"UnknownDtype", one(R"("dtype":"F8_E4M3","shape":[4],)" + fourBytes),
     "tensor 'x': dtype is \"F8_E4M3\", expected one of F64 F32"},
    {"DtypeNotString", one(R"("dtype":7,"shape":[4],)" + fourBytes),
     "dtype is 7"},
    {"ShapeNotArray", one(R"("dtype":"F32","shape":1,)" + fourBytes),
     "tensor 'x': shape is 1"},
    {"NegativeExtent", one(R"("dtype":"F32","shape":[-1],)" + fourBytes),
     "shape has the extent -1"},
    {"FractionalExtent", one(R"("dtype":"F32","shape":[1.0],)" + fourBytes),
     "shape has the extent 1.0"},
    {"HugeExtent",
     one(R"("dtype":"F32","shape":[18446744073709551616],)" + fourBytes),
     "expected a whole number from 0 to 2^63 - 1"},
    // The product is 2^64, which is 0 in 64 bits.
    {"ProductOverflow",
     padded(R"({"x":{"dtype":"F32","shape":[4294967296,1073741824],)"
            R"("data_offsets":[0,0]}})",
            0),
     "has more bytes than 64 bits count"},
    {"OffsetsNotPair", one(R"("dtype":"F32","shape":[1],"data_offsets":[0])"),
     "data_offsets is [0]"},
    {"OffsetNegative",
     one(R"("dtype":"F32","shape":[1],"data_offsets":[-4,0])"),
     "data_offsets is [-4,0]"},
    {"OffsetsInverted",
     one(R"("dtype":"F32","shape":[1],"data_offsets":[4,0])"),
     "[4,0] end before they begin"},
    {"OffsetsPastEnd", one(R"("dtype":"F32","shape":[2],"data_offsets":[0,8])"),
     "pass the end of the file, whose data has 4 bytes"},
    {"OffsetsHuge",
     one(R"("dtype":"F32","shape":[1],)"
         R"("data_offsets":[18446744073709551612,18446744073709551615])"),
     "pass the end of the file"},
    {"SizeAgainstShape",
     one(R"("dtype":"F16","shape":[1,3],"data_offsets":[0,4])"),
     "[0,4] hold 4 bytes, expected 6 for shape [1, 3] of F16"},
    {"Overlap", two("0,5", "4,8"), "'y': its data overlaps that of tensor 'x'"},
    {"SameData", two("0,8", "0,8"), "overlaps"},
    {"HoleAtStart", two("1,4", "4,8"), "1 bytes after the header"},
    {"HoleBetween", two("0,3", "4,8"), "1 bytes after tensor 'x' ends"},
    {"BytesAfterLast", two("0,3", "3,7"), "has 1 bytes after the last tensor"},
    {"DataWithoutTensor", padded("{}", 3), "has 3 bytes after the last tensor"},
    {"NameOfTwoLines", padded(R"({"x\ny":{"dtype":"F32","shape":[1]}})", 0),
     "tensor 'x?y': has no data_offsets"},
};

TEST_P(BadHeaderTest, GivesOneLine) {
  Folder folder;
  std::string path = folder.write("bad.safetensors", GetParam().bytes);
  Result<File> file = File::open(path);
  ASSERT_TRUE(file.failed());
  expectMessage(file.message(), path, GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(Header, BadHeaderTest, testing::ValuesIn(badHeaders),
                         [](const auto &info) {
                           return std::string(info.param.name);
                         });

TEST(HeaderTest, ReadsTypesShapesAndMetadata) {
  Folder folder;
  std::string path = folder.write(
      "good.safetensors",
      padded(R"({"__metadata__":{"format":"pt"},)"
             R"("b":{"dtype":"F32","shape":[1,2],"data_offsets":[0,8]},)"
             R"("a":{"dtype":"BF16","shape":[],"data_offsets":[8,10]},)"
             R"("none":{"dtype":"F64","shape":[0,9],"data_offsets":[10,10]}})",
             10));
  Result<File> file = File::open(path);
  ASSERT_TRUE(file.ok()) << file.message();
  EXPECT_EQ(file->metadata().at("format"), "pt");
  ASSERT_EQ(file->tensors().size(), 3u);
  EXPECT_EQ(file->tensors()[0].name, "a");
  EXPECT_EQ(file->tensors()[0].type, ElementType::BF16);
  EXPECT_EQ(file->tensors()[0].elements(), 1);
  const TensorInfo *b = file->find("b");
  ASSERT_TRUE(b);
  EXPECT_EQ(b->shape, (std::vector<int64_t>{1, 2}));
  EXPECT_EQ(b->data + 8, file->find("a")->data);
  EXPECT_EQ(file->find("none")->data, nullptr);
  EXPECT_EQ(file->find("nothing"), nullptr);
}

// An extent of 0 makes the size 0 even if the other extents overflow.
TEST(HeaderTest, EmptyTensorOfHugeExtents) {
  Folder folder;
  std::string path = folder.write(
      "empty.safetensors",
      padded(R"({"x":{"dtype":"F32","shape":[4611686018427387904,8,0],)"
             R"("data_offsets":[0,0]}})",
             0));
  Result<File> file = File::open(path);
  ASSERT_TRUE(file.ok()) << file.message();
  EXPECT_EQ(file->tensors()[0].bytes, 0u);
}

TEST(HeaderTest, FileWithoutTensors) {
  Folder folder;
  EXPECT_TRUE(File::open(folder.write("x", padded("{}", 0))).ok());
}

} // namespace
