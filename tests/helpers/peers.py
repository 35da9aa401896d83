"""The same weights in another program: transformers' llama."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from walkthrough.llm.llama import Llama

if TYPE_CHECKING:
    from transformers import LlamaForCausalLM


def halves(W: np.ndarray, heads: int) -> np.ndarray:
    """Columns (…, heads · d_k) from pairs of neighbours (GGUF) to two halves (transformers)."""
    pairs = W.reshape(*W.shape[:-1], heads, -1, 2)
    return np.swapaxes(pairs, -1, -2).reshape(W.shape)


def to_transformers(model: Llama) -> LlamaForCausalLM:
    """The same llama as transformers computes it, in float32, with tied embeddings."""
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    d_model, d_ff = model.layers[0].W_gate.shape
    config = LlamaConfig(
        vocab_size=model.vocabulary,
        hidden_size=d_model,
        intermediate_size=d_ff,
        num_hidden_layers=len(model.layers),
        num_attention_heads=model.h,
        num_key_value_heads=model.h_kv,
        head_dim=model.d_k,
        rope_parameters={"rope_type": "default", "rope_theta": base(model)},
        rms_norm_eps=model.eps,
        max_position_embeddings=model.context_length,
        tie_word_embeddings=True,
        eos_token_id=model.eos,
        pad_token_id=model.eos,
    )
    state = {
        "model.embed_tokens.weight": model.embedding,
        "model.norm.weight": model.norm,
        "lm_head.weight": model.embedding,
    }
    for i, layer in enumerate(model.layers):
        weights = {
            "input_layernorm": layer.attention_norm,
            "self_attn.q_proj": halves(layer.W_Q, model.h),
            "self_attn.k_proj": halves(layer.W_K, model.h_kv),
            "self_attn.v_proj": layer.W_V,
            "self_attn.o_proj": layer.W_O,
            "post_attention_layernorm": layer.mlp_norm,
            "mlp.gate_proj": layer.W_gate,
            "mlp.up_proj": layer.W_up,
            "mlp.down_proj": layer.W_down,
        }
        for name, W in weights.items():
            state[f"model.layers.{i}.{name}.weight"] = np.ascontiguousarray(W.T)
    with torch.device("meta"):
        peer = LlamaForCausalLM(config)
    peer.to_empty(device="cpu")
    tensors = {name: torch.from_numpy(array) for name, array in state.items()}
    peer.load_state_dict(tensors, assign=True)
    peer.tie_weights()
    peer.model.rotary_emb = type(peer.model.rotary_emb)(config)  # its buffers are no weights
    return peer.eval()


def base(model: Llama) -> float:
    """The base of the RoPE frequencies: the second is base^(−2 / d_k)."""
    return float(model.frequencies[1] ** (-model.d_k / 2))
