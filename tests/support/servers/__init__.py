"""Servers on the loopback that speak the real protocols: a model, a chat, a sender of webhooks, hosts of prices."""
