//===- CheckpointTest.cpp - sharded and single checkpoints ----------------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontend/safetensors/Checkpoint.h"
#include "test/frontend/safetensors/Support.h"

#include <sys/stat.h>

using namespace mm01;
using namespace mm01::safetensors;
using namespace mm01::test;

namespace {

constexpr const char *indexName = "model.safetensors.index.json";

/// A shard of scalars of U8 with these one-letter names.
std::string shard(const std::string &names) {
  std::string header = "{";
  for (size_t i = 0; i < names.size(); ++i)
    header += std::string(i ? "," : "") + "\"" + names[i] +
              R"(":{"dtype":"U8","shape":[],"data_offsets":[)" +
              std::to_string(i) + "," + std::to_string(i + 1) + "]}";
  return padded(header + "}", names.size());
}

std::string indexOf(const std::string &map) {
  return R"({"metadata":{"total_size":3},"weight_map":{)" + map + "}}";
}

/// Shard 1 holds `first`, shard 2 holds `second`; the index holds `map`.
struct Sharded : Folder {
  Sharded(const std::string &first, const std::string &second,
          const std::string &map) {
    write("1.safetensors", shard(first));
    write("2.safetensors", shard(second));
    write(indexName, indexOf(map));
  }
};

void expectRefused(const std::string &path, const std::string &begin,
                   const std::string &message) {
  Result<Checkpoint> checkpoint = Checkpoint::open(path);
  ASSERT_TRUE(checkpoint.failed());
  expectMessage(checkpoint.message(), begin, message);
}

const std::string goodMap =
    R"("a":"1.safetensors","b":"2.safetensors","c":"1.safetensors")";

TEST(CheckpointTest, ReadsShards) {
  Sharded folder("ca", "b", goodMap);
  for (const std::string &path : {folder.at(""), folder.at(indexName)}) {
    Result<Checkpoint> checkpoint = Checkpoint::open(path);
    ASSERT_TRUE(checkpoint.ok()) << checkpoint.message();
    EXPECT_EQ(checkpoint->path(), path);
    ASSERT_EQ(checkpoint->tensors().size(), 3u);
    EXPECT_EQ(checkpoint->tensors()[2]->name, "c");
    const TensorInfo *b = checkpoint->find("b");
    Checkpoint moved = *std::move(checkpoint);
    EXPECT_EQ(moved.find("b"), b);
    EXPECT_EQ(b->file, folder.at("2.safetensors"));
    EXPECT_EQ(moved.find("d"), nullptr);
  }
}

TEST(CheckpointTest, ReadsOneFile) {
  Folder folder;
  folder.write("model.safetensors", shard("ab"));
  EXPECT_EQ(Checkpoint::open(folder.at(""))->tensors().size(), 2u);
  EXPECT_EQ(Checkpoint::open(folder.at("") + "/")->tensors().size(), 2u);
  EXPECT_EQ(Checkpoint::open(folder.at("model.safetensors"))->tensors().size(),
            2u);
}

// Caches of downloaded models hold links to files elsewhere.
TEST(CheckpointTest, FollowsLinks) {
  Folder folder;
  folder.write("blob", shard("ab"));
  std::filesystem::create_symlink("blob", folder.at("model.safetensors"));
  EXPECT_TRUE(Checkpoint::open(folder.at("")).ok());
}

TEST(CheckpointTest, NothingThere) {
  Folder folder;
  expectRefused(folder.at(""), folder.at(""), "holds neither");
  expectRefused(folder.at("x"), folder.at("x"), "No such file");
  expectRefused("/dev/zero", "/dev/zero", "is a device");
}

TEST(CheckpointTest, BothLayouts) {
  Sharded folder("ca", "b", goodMap);
  folder.write("model.safetensors", shard("a"));
  expectRefused(folder.at(""), folder.at(""), "holds both");
}

TEST(CheckpointTest, ShardMissing) {
  Sharded folder("ca", "b", goodMap);
  std::filesystem::remove(folder.at("2.safetensors"));
  expectRefused(folder.at(""), folder.at("2.safetensors"), "tensor 'b'");
}

TEST(CheckpointTest, ShardTruncated) {
  Sharded folder("ca", "b", goodMap);
  std::filesystem::resize_file(folder.at("1.safetensors"), 20);
  expectRefused(folder.at(""), folder.at("1.safetensors"), "the file ends");
}

TEST(CheckpointTest, ShardIsAPipe) {
  Sharded folder("ca", "b", goodMap);
  std::filesystem::remove(folder.at("2.safetensors"));
  ASSERT_EQ(::mkfifo(folder.at("2.safetensors").c_str(), 0600), 0);
  expectRefused(folder.at(""), folder.at("2.safetensors"), "is a pipe");
}

TEST(CheckpointTest, TensorMissingInItsShard) {
  Sharded folder("a", "b", goodMap);
  expectRefused(folder.at(""), folder.at("1.safetensors"),
                "tensor 'c' is missing");
}

TEST(CheckpointTest, TensorInAnotherShard) {
  Sharded folder("a", "bc", goodMap);
  expectRefused(folder.at(""), folder.at("2.safetensors"),
                "says that it is in 1.safetensors");
}

TEST(CheckpointTest, TensorNotInTheIndex) {
  Sharded folder("ca", "bd", goodMap);
  expectRefused(folder.at(""), folder.at("2.safetensors"),
                "tensor 'd' is not named");
}

TEST(CheckpointTest, TensorInTwoShards) {
  Sharded folder("ca", "ba", goodMap);
  expectRefused(folder.at(""), folder.at("2.safetensors"),
                "tensor 'a' is also in");
}

TEST(CheckpointTest, BadIndexes) {
  const std::pair<std::string, const char *> cases[] = {
      {"", "is not valid JSON"},
      {"weights", "is not valid JSON"},
      {"[]", "has no object 'weight_map'"},
      {R"({"metadata":{}})", "has no object 'weight_map'"},
      {R"({"weight_map":[]})", "has no object 'weight_map'"},
      {indexOf(""), "names no tensor"},
      {indexOf(R"("a":1)"), "tensor 'a': its shard is not a string"},
      {indexOf(R"("a":"1.safetensors","a":"2.safetensors")"),
       "has the key 'a' twice"},
      {indexOf(R"("a":"../1.safetensors")"), "its shard is '../1.safetensors'"},
      {indexOf(R"("a":"/etc/passwd")"), "its shard is '/etc/passwd'"},
      {indexOf(R"("a":"..")"), "its shard is '..'"},
      {indexOf(R"("a":"")"), "its shard is ''"},
  };
  for (const auto &[text, message] : cases) {
    Folder folder;
    folder.write(indexName, text);
    expectRefused(folder.at(""), folder.at(indexName), message);
  }
}

TEST(CheckpointTest, UnreadableFolder) {
  Sharded folder("ca", "b", goodMap);
  std::filesystem::permissions(folder.at(""), std::filesystem::perms::none);
  {
    WithoutPrivilege unprivileged;
    expectRefused(folder.at(""), folder.at(""), "Permission denied");
  }
  std::filesystem::permissions(folder.at(""),
                               std::filesystem::perms::owner_all);
}

} // namespace
