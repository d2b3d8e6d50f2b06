//===- FileTest.cpp - what may be opened, and what a mapping promises -----===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontend/safetensors/File.h"
#include "frontend/safetensors/Json.h"
#include "frontend/safetensors/TextFile.h"
#include "test/frontend/safetensors/Support.h"

#include <cstring>
#include <sys/stat.h>

using namespace mm01;
using namespace mm01::safetensors;
using namespace mm01::test;

namespace {

const std::string oneFloat =
    padded(R"({"x":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})", 4);

void expectRefused(const std::string &path, const std::string &message) {
  Result<File> file = File::open(path);
  ASSERT_TRUE(file.failed());
  expectMessage(file.message(), path, message);
}

TEST(FileTest, Missing) {
  Folder folder;
  expectRefused(folder.at("nothing"), "No such file");
}

TEST(FileTest, EmptyName) { expectRefused("", "cannot be opened"); }

TEST(FileTest, IsAFolder) {
  Folder folder;
  expectRefused(folder.at(""), "is a folder, expected a regular file");
}

// Neither may be waited for: nobody writes to the pipe, and the device never
// ends.
TEST(FileTest, IsAPipe) {
  Folder folder;
  ASSERT_EQ(::mkfifo(folder.at("pipe").c_str(), 0600), 0);
  expectRefused(folder.at("pipe"), "is a pipe");
}

TEST(FileTest, IsADevice) { expectRefused("/dev/zero", "is a device"); }

TEST(FileTest, Unreadable) {
  Folder folder;
  std::string path = folder.write("x", oneFloat);
  std::filesystem::permissions(path, std::filesystem::perms::none);
  WithoutPrivilege unprivileged;
  expectRefused(path, "Permission denied");
}

TEST(FileTest, DataOutlivesMoves) {
  Folder folder;
  std::string path = folder.write("x", oneFloat);
  Result<File> first = File::open(path);
  ASSERT_TRUE(first.ok());
  const TensorInfo *tensor = first->find("x");
  File second = *std::move(first);
  EXPECT_EQ(second.find("x"), tensor);
  File third = std::move(second);
  File &same = third;
  third = std::move(same); // a move to itself changes nothing
  EXPECT_EQ(*reinterpret_cast<const float *>(third.find("x")->data), 0.0f);
  // The name may go: the mapping keeps the content.
  std::filesystem::remove(path);
  EXPECT_EQ(*reinterpret_cast<const float *>(tensor->data), 0.0f);
}

/// The format aligns nothing: a header of odd length, or a bf16 tensor before
/// one of float32, puts elements anywhere.
TEST(FileTest, AlignsWhatTheFileDoesNot) {
  Folder folder;
  std::string bytes =
      image(R"({"a":{"dtype":"BF16","shape":[1],"data_offsets":[0,2]},)"
            R"("b":{"dtype":"F32","shape":[2],"data_offsets":[2,10]}} )",
            10);
  const float values[] = {1.5f, -2};
  std::memcpy(bytes.data() + bytes.size() - sizeof(values), values,
              sizeof(values));
  Result<File> file = File::open(folder.write("odd.safetensors", bytes));
  ASSERT_TRUE(file.ok()) << file.message();
  File moved = *std::move(file);
  for (const TensorInfo &tensor : moved.tensors())
    EXPECT_EQ(reinterpret_cast<uintptr_t>(tensor.data) %
                  elementBytes(tensor.type),
              0u)
        << tensor.name;
  EXPECT_EQ(std::memcmp(moved.find("b")->data, values, sizeof(values)), 0);
}

/// Pages that are given up come back with their content, and a copy, which no
/// file could give back, stays.
TEST(FileTest, ReleasedPagesComeBack) {
  Folder folder;
  for (const char *blanks : {"", " ", "  ", "   "}) {
    std::string header =
        R"({"w":{"dtype":"F32","shape":[5000],"data_offsets":[0,20000]}})";
    std::string bytes = image(header + blanks, 20000);
    for (size_t i = 0; i < 20000; ++i)
      bytes[bytes.size() - 20000 + i] = static_cast<char>(i % 251);
    Result<File> file = File::open(folder.write("w.safetensors", bytes));
    ASSERT_TRUE(file.ok()) << file.message();
    const TensorInfo &tensor = *file->find("w");
    releasePages(tensor, 0, tensor.bytes);
    releasePages(tensor, 6000, 7);
    releasePages(tensor, tensor.bytes, 0);
    EXPECT_EQ(
        std::memcmp(tensor.data, bytes.data() + bytes.size() - 20000, 20000),
        0);
  }
}

TEST(TextFileTest, ReadsWithinTheLimit) {
  Folder folder;
  std::string path = folder.write("x", "four");
  EXPECT_EQ(*readTextFile(path, 4), "four");
  Result<std::string> tooLong = readTextFile(path, 3);
  ASSERT_TRUE(tooLong.failed());
  expectMessage(tooLong.message(), path, "has 4 bytes, expected at most 3");
}

TEST(JsonTest, AcceptsAndRefuses) {
  EXPECT_TRUE(checkJson("here", R"({"a":[{"a":1},{"a":2}],"b":null})").ok());
  expectMessage(checkJson("here", R"({"a":{"b":1,"b":2}})").message(),
                "here: ", "has the key 'b' twice");
  // Equal after escapes are read.
  EXPECT_TRUE(checkJson("here", R"({"a":1,"\u0061":2})").failed());
  EXPECT_TRUE(checkJson("here", "").failed());
  EXPECT_TRUE(checkJson("here", "{\"a\":NaN}").failed());
}

TEST(StatusTest, IsOneLine) {
  EXPECT_EQ(Status::error("a\nb\t", 4, ' ', true).message(), "a?b?4 true");
  EXPECT_TRUE(Status::error("").failed());
  EXPECT_TRUE(Status().ok());
}

TEST(ElementTypeTest, NamesAndSizes) {
  EXPECT_EQ(dtypeName(ElementType::BF16), "BF16");
  EXPECT_EQ(manifestName(ElementType::BF16), "bf16");
  EXPECT_EQ(parseDtype("BOOL"), ElementType::Bool);
  EXPECT_EQ(parseManifestName("i64"), ElementType::I64);
  EXPECT_EQ(parseManifestName(""), std::nullopt);
  for (const auto &row : detail::elementTypes) {
    EXPECT_EQ(dtypeName(row.type), row.dtype);
    EXPECT_EQ(parseDtype(row.dtype), row.type);
  }
}

} // namespace
