"""Argo's texts that are evaluated: `{{tags}}`, `{{=expressions}}`, `when`, `depends`."""
