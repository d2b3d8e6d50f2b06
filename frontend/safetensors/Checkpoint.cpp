//===- Checkpoint.cpp - the tensors of a model, in one file or many -------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Test: test/frontend/safetensors/CheckpointTest.cpp
//
//===----------------------------------------------------------------------===//

#include "frontend/safetensors/Checkpoint.h"
#include "frontend/safetensors/Json.h"
#include "frontend/safetensors/TextFile.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <set>
#include <sys/stat.h>
#include <tuple>

using namespace mm01;
using namespace mm01::safetensors;
using Json = nlohmann::json;

static constexpr std::string_view singleName = "model.safetensors";
static constexpr std::string_view indexName = "model.safetensors.index.json";
static constexpr uint64_t maxIndexBytes = 256 << 20;

using WeightMap = std::map<std::string, std::string>; // tensor to shard

/// False only if there is nothing of this name; a folder that may not be
/// looked into is an error.
static Result<bool> exists(const std::string &path) {
  struct stat info;
  if (::stat(path.c_str(), &info) == 0)
    return true;
  if (errno == ENOENT)
    return false;
  return Status::error(path, ": cannot be opened: ", std::strerror(errno));
}

static std::string folderOf(const std::string &path) {
  size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash + 1);
}

static std::string join(const std::string &folder, std::string_view name) {
  return concat(folder, folder.ends_with('/') ? "" : "/", name);
}

/// Reads "weight_map", whose shards must be plain names of files beside the
/// index: a checkpoint must not reach into other folders.
static Result<WeightMap> readWeightMap(const std::string &path) {
  Result<std::string> text = readTextFile(path, maxIndexBytes);
  MM01_RETURN_IF_FAILED(text);
  MM01_RETURN_IF_FAILED(checkJson(path, *text));
  Json json = Json::parse(*text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object() || !json.contains("weight_map") ||
      !json["weight_map"].is_object())
    return Status::error(path, ": has no object 'weight_map'");
  WeightMap map;
  for (const auto &[tensor, value] : json["weight_map"].items()) {
    if (!value.is_string())
      return Status::error(path, ": tensor '", tensor,
                           "': its shard is not a string");
    const auto &shard = value.get_ref<const std::string &>();
    if (shard.empty() || shard == "." || shard == ".." ||
        shard.find('/') != std::string::npos)
      return Status::error(path, ": tensor '", tensor, "': its shard is '",
                           shard,
                           "', expected the name of a file in the "
                           "index's folder");
    map.emplace(tensor, shard);
  }
  if (map.empty())
    return Status::error(path, ": 'weight_map' names no tensor");
  return map;
}

Result<Checkpoint> Checkpoint::open(const std::string &path) {
  struct stat info;
  if (::stat(path.c_str(), &info) != 0)
    return Status::error(path, ": cannot be opened: ", std::strerror(errno));
  if (!S_ISDIR(info.st_mode)) {
    if (path.ends_with(".index.json"))
      return openIndex(path);
    Result<File> file = File::open(path);
    MM01_RETURN_IF_FAILED(file);
    Checkpoint checkpoint;
    checkpoint.root = path;
    checkpoint.files.push_back(*std::move(file));
    MM01_RETURN_IF_FAILED(checkpoint.collect());
    return checkpoint;
  }

  std::string single = join(path, singleName), index = join(path, indexName);
  Result<bool> hasSingle = exists(single), hasIndex = exists(index);
  MM01_RETURN_IF_FAILED(hasSingle);
  MM01_RETURN_IF_FAILED(hasIndex);
  if (*hasSingle && *hasIndex)
    return Status::error(path, ": holds both ", singleName, " and ", indexName,
                         ", expected one of them");
  if (!*hasSingle && !*hasIndex)
    return Status::error(path, ": holds neither ", singleName, " nor ",
                         indexName);
  Result<Checkpoint> checkpoint = *hasSingle ? open(single) : openIndex(index);
  MM01_RETURN_IF_FAILED(checkpoint);
  checkpoint->root = path;
  return checkpoint;
}

Result<Checkpoint> Checkpoint::openIndex(const std::string &path) {
  Result<WeightMap> map = readWeightMap(path);
  MM01_RETURN_IF_FAILED(map);
  std::string folder = folderOf(path);
  Checkpoint checkpoint;
  checkpoint.root = path;
  std::set<std::string> shards;
  for (const auto &[tensor, shard] : *map) {
    if (!shards.insert(shard).second)
      continue;
    std::string shardPath = join(folder, shard);
    Result<bool> present = exists(shardPath);
    MM01_RETURN_IF_FAILED(present);
    if (!*present)
      return Status::error(shardPath, ": is missing, but ", path,
                           " names it for tensor '", tensor, "'");
    Result<File> file = File::open(shardPath);
    MM01_RETURN_IF_FAILED(file);
    checkpoint.files.push_back(*std::move(file));
  }
  MM01_RETURN_IF_FAILED(checkpoint.collect());

  for (const auto &[tensor, shard] : *map) {
    const TensorInfo *found = checkpoint.find(tensor);
    std::string expected = join(folder, shard);
    if (!found)
      return Status::error(expected, ": tensor '", tensor, "' is missing, but ",
                           path, " names it");
    if (found->file != expected)
      return Status::error(found->file, ": tensor '", tensor, "': ", path,
                           " says that it is in ", shard);
  }
  for (const TensorInfo *tensor : checkpoint.sorted)
    if (!map->contains(tensor->name))
      return Status::error(tensor->file, ": tensor '", tensor->name,
                           "' is not named by ", path);
  return checkpoint;
}

Status Checkpoint::collect() {
  for (const File &file : files)
    for (const TensorInfo &tensor : file.tensors())
      sorted.push_back(&tensor);
  std::sort(sorted.begin(), sorted.end(), [](const auto *a, const auto *b) {
    return std::tie(a->name, a->file) < std::tie(b->name, b->file);
  });
  for (size_t i = 1; i < sorted.size(); ++i)
    if (sorted[i - 1]->name == sorted[i]->name)
      return Status::error(sorted[i]->file, ": tensor '", sorted[i]->name,
                           "' is also in ", sorted[i - 1]->file);
  return {};
}

const TensorInfo *Checkpoint::find(std::string_view name) const {
  auto at =
      std::lower_bound(sorted.begin(), sorted.end(), name,
                       [](const TensorInfo *tensor, std::string_view key) {
                         return tensor->name < key;
                       });
  return at != sorted.end() && (*at)->name == name ? *at : nullptr;
}
