"""Two git trees → which skills changed, and what each arm sees of them."""
