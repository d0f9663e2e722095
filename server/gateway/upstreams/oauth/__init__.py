"""OAuth 2: the tokens of upstreams, where they are kept, and the requests that they authorize."""
