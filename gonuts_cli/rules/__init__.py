"""The rules of the game, `gonuts-rules/1` (SPEC §1–3): pure, no files, clocks or chance."""
