"""The exam: questions with answers that can be checked, by which an owner measures a model.

`questions.yaml` holds the questions and their checks, `workspace.yaml` what the workspace holds that they are asked in.
Nothing expected is written down: `expected` calls the tools for it, in the same workspace.
"""
