"""
The reranker, the third stage of ranking.

The first stage sums up weighted features of every candidate, the second adds first-stage scores of the surroundings of
each. For a long query, boosted trees then reorder the first sixty functions and thirty files, by features that would
cost too much for all candidates.
"""
