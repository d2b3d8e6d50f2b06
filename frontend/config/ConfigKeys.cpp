//===- ConfigKeys.cpp - the keys of config.json that mm01 knows -----------===//
//
// Part of the mm01 project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Test: test/frontend/config/ReadConfigTest.cpp
//
//===----------------------------------------------------------------------===//

#include "frontend/config/ConfigKeys.h"

#include "llvm/ADT/STLExtras.h"

using namespace mm01;
using llvm::StringRef;

static constexpr StringRef settable[] = {
    "attention_bias",
    "attn_type_list",
    "bos_token_id",
    "eos_token_id",
    "head_dim",
    "hidden_act",
    "hidden_size",
    "intermediate_size",
    "layernorm_full_attention_alpha",
    "layernorm_full_attention_beta",
    "layernorm_linear_attention_alpha",
    "layernorm_linear_attention_beta",
    "layernorm_mlp_alpha",
    "layernorm_mlp_beta",
    "max_position_embeddings",
    "num_attention_heads",
    "num_experts_per_tok",
    "num_hidden_layers",
    "num_key_value_heads",
    "num_local_experts",
    "postnorm",
    "quantization_config",
    "rms_norm_eps",
    "rope_scaling",
    "rope_theta",
    "rotary_dim",
    "shared_intermediate_size",
    "sliding_window",
    "tie_word_embeddings",
    "torch_dtype",
    "vocab_size",
};

static constexpr StringRef alsoRead[] = {
    "architectures",
    "dtype",
    "full_attn_alpha_factor",
    "full_attn_beta_factor",
    "layer_types",
    "linear_attn_alpha_factor",
    "linear_attn_beta_factor",
    "mlp_alpha_factor",
    "mlp_bias",
    "mlp_beta_factor",
    "model_type",
    "norm_topk_prob",
    "partial_rotary_factor",
    "rope_parameters",
    "scoring_func",
    "use_qk_norm",
};

// Training-time settings, generation defaults, bookkeeping of the writer, and
// block_size, which orders the sums of lightning attention but not the result.
static constexpr StringRef ignored[] = {
    "_attn_implementation",
    "_name_or_path",
    "add_cross_attention",
    "attention_dropout",
    "auto_map",
    "bad_words_ids",
    "block_size",
    "chunk_size_feed_forward",
    "cross_attention_hidden_size",
    "decoder_start_token_id",
    "finetuning_task",
    "forced_bos_token_id",
    "forced_eos_token_id",
    "id2label",
    "initializer_range",
    "is_decoder",
    "is_encoder_decoder",
    "label2id",
    "output_attentions",
    "output_hidden_states",
    "output_router_logits",
    "pad_token_id",
    "prefix",
    "problem_type",
    "return_dict",
    "router_aux_loss_coef",
    "router_jitter_noise",
    "sep_token_id",
    "shared_moe_mode",
    "task_specific_params",
    "tokenizer_class",
    "torchscript",
    "transformers_version",
    "unsloth_version",
    "use_cache",
};

llvm::ArrayRef<StringRef> mm01::settableKeys() { return settable; }

bool mm01::isReadKey(StringRef key) {
  return llvm::is_contained(settable, key) || llvm::is_contained(alsoRead, key);
}

bool mm01::isIgnoredKey(StringRef key) {
  return llvm::is_contained(ignored, key);
}
