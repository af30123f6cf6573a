"""Whatever computes with weights or a provider: embedders, rerankers and language models, by name from `catalogue`."""
