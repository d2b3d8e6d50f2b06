//===- WriterTest.cpp - written files are whole or absent -----------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontend/safetensors/Writer.h"
#include "frontend/safetensors/File.h"
#include "test/frontend/safetensors/Support.h"

#include <csignal>
#include <cstring>
#include <sys/resource.h>

using namespace mm01;
using namespace mm01::safetensors;
using namespace mm01::test;

namespace {

const float floats[6] = {1, 2, 3, 4, 5, 6};
const uint8_t bytes[3] = {7, 8, 9};

Writer writer() {
  Writer writer;
  writer.add("b \"quoted\" \n", ElementType::U8, {3}, bytes);
  writer.add("a", ElementType::F32, {2, 3}, floats);
  writer.add("none", ElementType::F64, {0}, nullptr);
  writer.addMetadata("format", "mm01");
  writer.addMetadata("step", "10");
  return writer;
}

std::string content(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void expectRefused(const Writer &writer, const std::string &path,
                   const std::string &message) {
  Status status = writer.write(path);
  ASSERT_TRUE(status.failed());
  expectMessage(status.message(), path, message);
}

TEST(WriterTest, ReadsBack) {
  Folder folder;
  std::string path = folder.at("x.safetensors");
  Status status = writer().write(path);
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(folder.entries(), 1u);
  Result<File> file = File::open(path);
  ASSERT_TRUE(file.ok()) << file.message();
  EXPECT_EQ(file->metadata().at("step"), "10");
  ASSERT_EQ(file->tensors().size(), 3u);
  const TensorInfo *a = file->find("a");
  ASSERT_TRUE(a);
  EXPECT_EQ(a->shape, (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(std::memcmp(a->data, floats, sizeof(floats)), 0);
  const TensorInfo *b = file->find("b \"quoted\" \n");
  ASSERT_TRUE(b);
  EXPECT_EQ(std::memcmp(b->data, bytes, sizeof(bytes)), 0);
}

TEST(WriterTest, OrderOfCallsDoesNotMatter) {
  Folder folder;
  Writer one, two;
  one.add("a", ElementType::U8, {3}, bytes);
  one.add("b", ElementType::F32, {6}, floats);
  two.add("b", ElementType::F32, {6}, floats);
  two.add("a", ElementType::U8, {3}, bytes);
  ASSERT_TRUE(one.write(folder.at("1")).ok());
  ASSERT_TRUE(two.write(folder.at("2")).ok());
  EXPECT_EQ(content(folder.at("1")), content(folder.at("2")));
}

TEST(WriterTest, NoTensors) {
  Folder folder;
  ASSERT_TRUE(Writer().write(folder.at("x")).ok());
  EXPECT_TRUE(File::open(folder.at("x")).ok());
}

TEST(WriterTest, RefusesWhatCannotBeRead) {
  Folder folder;
  std::string path = folder.at("x");
  Writer twice;
  twice.add("a", ElementType::U8, {3}, bytes);
  twice.add("a", ElementType::U8, {3}, bytes);
  expectRefused(twice, path, "has the key 'a' twice");
  Writer negative;
  negative.add("a", ElementType::U8, {-3}, bytes);
  expectRefused(negative, path, "shape [-3] cannot be written");
  Writer notUtf8;
  notUtf8.add("\xff", ElementType::U8, {3}, bytes);
  expectRefused(notUtf8, path, "cannot be written");
  Writer reserved;
  reserved.add("__metadata__", ElementType::U8, {3}, bytes);
  expectRefused(reserved, path, "cannot be written");
  EXPECT_EQ(folder.entries(), 0u);
}

TEST(WriterTest, ReplacesAFileAndKeepsALink) {
  Folder folder;
  folder.write("file", "old");
  std::filesystem::create_symlink("file", folder.at("link"));
  ASSERT_TRUE(writer().write(folder.at("link")).ok());
  EXPECT_TRUE(std::filesystem::is_symlink(folder.at("link")));
  EXPECT_TRUE(File::open(folder.at("file")).ok());
  EXPECT_EQ(folder.entries(), 2u);
}

TEST(WriterTest, NoSuchFolder) {
  Folder folder;
  expectRefused(writer(), folder.at("none/x"), "No such file");
}

TEST(WriterTest, TargetIsAFolder) {
  Folder folder;
  std::filesystem::create_directory(folder.at("x"));
  expectRefused(writer(), folder.at("x"), "is a folder");
}

// A rename onto a device would take the device away.
TEST(WriterTest, TargetIsADevice) {
  expectRefused(writer(), "/dev/full", "no regular file");
}

TEST(WriterTest, UnwritableFolder) {
  Folder folder;
  std::filesystem::permissions(folder.at(""),
                               std::filesystem::perms::owner_read |
                                   std::filesystem::perms::owner_exec |
                                   std::filesystem::perms::others_exec);
  {
    WithoutPrivilege unprivileged;
    expectRefused(writer(), folder.at("x"), "Permission denied");
  }
  std::filesystem::permissions(folder.at(""),
                               std::filesystem::perms::owner_all);
  EXPECT_EQ(folder.entries(), 0u);
}

// A limit on the size of files stands in for a full disk: write() fails in the
// middle of the data. The old content stays and nothing new is left.
TEST(WriterTest, FullDisk) {
  Folder folder;
  std::string path = folder.write("x", "old");
  std::vector<float> large(1 << 20);
  Writer big;
  big.add("a", ElementType::F32, {1 << 20}, large.data());
  auto handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit before;
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  rlimit limit = {1 << 20, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &limit), 0);
  Status status = big.write(path);
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  ASSERT_TRUE(status.failed());
  expectMessage(status.message(), path, "cannot be written: File too large");
  EXPECT_EQ(content(path), "old");
  EXPECT_EQ(folder.entries(), 1u);
}

} // namespace
