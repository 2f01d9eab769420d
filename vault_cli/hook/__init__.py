"""The commands that agent programs call: start fast, fail open. Imports nothing else of ours."""
