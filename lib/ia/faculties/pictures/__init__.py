"""Pictures of prices, accounts and markets: one drawing, as SVG, PNG, a page or characters."""
