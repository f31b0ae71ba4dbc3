"""The whole market in the local store: brought by `ia sync`, read by everything else without asking anybody."""
