"""
The reranker, the third stage of ranking.

The first stage sums up weighted features of every candidate, the second adds what first-stage scores say of what is
around each. Boosted trees then order the first sixty functions and thirty files of a long query anew, by features that
would cost too much for all.
"""
