"""The mathematics in NumPy: attention, K/V caches over it, models, and what they cost."""

from __future__ import annotations

from typing import TYPE_CHECKING

from walkthrough.lazy import lazy_names

if TYPE_CHECKING:
    from walkthrough.reference import attention as attention
    from walkthrough.reference import cost as cost
    from walkthrough.reference.attention import Attention as Attention
    from walkthrough.reference.attention import attend as attend
    from walkthrough.reference.attention import attend_heads as attend_heads
    from walkthrough.reference.attention import causal_mask as causal_mask
    from walkthrough.reference.attention import project as project
    from walkthrough.reference.attention import raw_scores as raw_scores
    from walkthrough.reference.attention import scale as scale
    from walkthrough.reference.attention import softmax as softmax
    from walkthrough.reference.cache import CacheFullError as CacheFullError
    from walkthrough.reference.cache import ContiguousCache as ContiguousCache
    from walkthrough.reference.cache import KVCache as KVCache
    from walkthrough.reference.cache import LayerCache as LayerCache
    from walkthrough.reference.cache import NoCache as NoCache
    from walkthrough.reference.cost import GEOMETRIES as GEOMETRIES
    from walkthrough.reference.cost import Geometry as Geometry
    from walkthrough.reference.cost import generation_flops as generation_flops
    from walkthrough.reference.cost import geometry as geometry
    from walkthrough.reference.cost import score_flops as score_flops
    from walkthrough.reference.decoding import Continuation as Continuation
    from walkthrough.reference.decoding import beam_search as beam_search
    from walkthrough.reference.decoding import parallel_sampling as parallel_sampling
    from walkthrough.reference.engine import serve as serve
    from walkthrough.reference.model import Layer as Layer
    from walkthrough.reference.model import Model as Model
    from walkthrough.reference.model import forward as forward
    from walkthrough.reference.model import generate as generate
    from walkthrough.reference.model import greedy_tokens as greedy_tokens
    from walkthrough.reference.model import next_logits as next_logits
    from walkthrough.reference.paged import GatheredCache as GatheredCache
    from walkthrough.reference.paged import PagedCache as PagedCache
    from walkthrough.reference.paged import PagedStorage as PagedStorage
    from walkthrough.reference.paged import log_sum_exp as log_sum_exp
    from walkthrough.reference.paged import paged_attention as paged_attention
    from walkthrough.reference.paged import to_csr as to_csr
    from walkthrough.reference.parts import Part as Part
    from walkthrough.reference.parts import finish as finish
    from walkthrough.reference.parts import merge as merge
    from walkthrough.reference.parts import part as part
    from walkthrough.reference.sampling import log_softmax as log_softmax
    from walkthrough.reference.sampling import probabilities as probabilities
    from walkthrough.reference.sampling import sample_token as sample_token
    from walkthrough.reference.sending import SendingCache as SendingCache
    from walkthrough.reference.sending import receive_layer as receive_layer
    from walkthrough.reference.smaller.latent import LatentHeads as LatentHeads
    from walkthrough.reference.smaller.latent import LatentStorage as LatentStorage
    from walkthrough.reference.smaller.latent import quarter_turns as quarter_turns
    from walkthrough.reference.smaller.quantised import QuantisedStorage as QuantisedStorage
    from walkthrough.reference.smaller.rounding import FLOAT8 as FLOAT8
    from walkthrough.reference.smaller.rounding import bits_per_number as bits_per_number
    from walkthrough.reference.smaller.rounding import quantised as quantised
    from walkthrough.reference.speculative.acceptance import acceptance_rate as acceptance_rate
    from walkthrough.reference.speculative.acceptance import chance as chance
    from walkthrough.reference.speculative.acceptance import expected_tokens as expected_tokens
    from walkthrough.reference.speculative.acceptance import residual as residual
    from walkthrough.reference.speculative.acceptance import speed_up as speed_up
    from walkthrough.reference.speculative.acceptance import verify_guesses as verify_guesses
    from walkthrough.reference.speculative.decoding import SpeculativeStep as SpeculativeStep
    from walkthrough.reference.speculative.decoding import speculate as speculate
    from walkthrough.reference.speculative.drafts import Draft as Draft
    from walkthrough.reference.speculative.drafts import ModelDraft as ModelDraft
    from walkthrough.reference.speculative.drafts import PromptLookup as PromptLookup
    from walkthrough.reference.speculative.drafts import fewer_layers as fewer_layers
    from walkthrough.reference.speculative.drafts import likeliest as likeliest
    from walkthrough.reference.speculative.outcomes import all_outcomes as all_outcomes
    from walkthrough.reference.speed import machines as machines
    from walkthrough.reference.speed import measured as measured
    from walkthrough.reference.speed import roofline as roofline
    from walkthrough.reference.speed import transfer as transfer
    from walkthrough.reference.speed.machines import LINKS as LINKS
    from walkthrough.reference.speed.machines import MACHINES as MACHINES
    from walkthrough.reference.speed.machines import Machine as Machine
    from walkthrough.reference.speed.shapes import SHAPES as SHAPES
    from walkthrough.reference.speed.shapes import ModelShape as ModelShape
    from walkthrough.reference.speed.shapes import model_shape as model_shape
    from walkthrough.reference.work import Work as Work

__getattr__, __dir__, __all__ = lazy_names(__name__, __file__)
