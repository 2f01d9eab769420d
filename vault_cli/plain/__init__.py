"""What a hook and the full program both do: functions and tables without any import of ours."""
