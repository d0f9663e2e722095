"""Files kept between runs: fingerprints of tools, examples, and the last known lists."""
