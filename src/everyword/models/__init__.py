"""Whatever computes with weights or a provider: embedders and rerankers, loaded by name from `catalogue`."""
