//===- RopeFields.cpp - the rotary embedding of a configuration -----------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Test: test/frontend/config/BadConfigTest.cpp, ReadConfigTest.cpp
//
//===----------------------------------------------------------------------===//

#include "frontend/config/ModelFields.h"

#include <cmath>

using namespace mm01;
using llvm::StringRef;
using llvm::Twine;
namespace json = llvm::json;

int64_t mm01::readRotaryDim(FieldReader &reader, int64_t headDim) {
  Located dim = reader.find({"rotary_dim"});
  Located factor = reader.find(
      {"rope_parameters.partial_rotary_factor", "partial_rotary_factor"});
  int64_t rotary = 0, byFactor = 0;
  if (factor && !(dim && dim.overridden)) {
    double product =
        reader.toNumber(factor, 0, 1) * static_cast<double>(headDim);
    byFactor = std::llround(product);
    if (std::abs(product - static_cast<double>(byFactor)) > 1e-6 ||
        byFactor % 2)
      reader.failExpected(factor, "an even number of features of the " +
                                      Twine(headDim) + " of 'head_dim'");
    rotary = byFactor;
  }
  if (dim) {
    rotary = reader.toInteger(dim, 0, headDim);
    if (rotary % 2)
      reader.failExpected(dim, "an even number");
    if (byFactor && byFactor != rotary)
      reader.failExpected(dim, Twine(byFactor) +
                                   " as 'head_dim' times "
                                   "'partial_rotary_factor' (--set "
                                   "rotary_dim=N decides)");
  }
  if (!dim && !factor)
    reader.require({"rotary_dim"}, "the number of rotated features of a head "
                                   "(MiniMax-Text-01: --set rotary_dim=64)");
  return rotary;
}

void mm01::checkRope(FieldReader &reader) {
  if (Located rope = reader.find({"rope_parameters"}))
    if (!rope.value->getAsObject())
      reader.failExpected(rope, "an object with rope_theta and rope_type");
  if (Located scaling = reader.find({"rope_scaling"})) {
    const json::Object *object = scaling.value->getAsObject();
    if (!object || (object->getString("rope_type") != StringRef("default") &&
                    object->getString("type") != StringRef("default")))
      reader.failExpected(scaling, "null: rotary embedding without scaling");
  }
  if (Located type =
          reader.find({"rope_parameters.rope_type", "rope_parameters.type"}))
    if (type.value->getAsString() != StringRef("default"))
      reader.failExpected(type, "\"default\": rotary embedding without "
                                "scaling");
}
