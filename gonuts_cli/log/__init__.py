"""The log, `gonuts-log/1`: writing it, reading it, checking it (SPEC §4)."""
