"""The tools of all upstreams as one catalog: names, cleaned texts, labels, the index, and what is kept of them."""
