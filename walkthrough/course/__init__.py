"""The course as one way: lessons and the exercises that practise them, and where a learner is."""
