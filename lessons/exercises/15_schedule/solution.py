def schedule(running, waiting, budget, max_running):
    step = {}
    left = budget
    for name, missing in running:
        if left:
            step[name] = min(missing, left)
            left -= step[name]
    for name, missing in waiting[: max(0, max_running - len(running))]:
        if left:
            step[name] = min(missing, left)
            left -= step[name]
    return step


def timetable(requests, budget, max_running=100):
    prompt = {name: tokens for name, tokens, _ in requests}
    total = {name: tokens + new - 1 for name, tokens, new in requests}  # to be fed
    fed = dict.fromkeys(prompt, 0)
    waiting, running, steps = list(prompt), [], []

    def missing(names):
        return [(name, max(1, prompt[name] - fed[name])) for name in names]

    while waiting or running:
        step = schedule(missing(running), missing(waiting), budget, max_running)
        for name, tokens in step.items():
            fed[name] += tokens
            if name in waiting:
                waiting.remove(name)
                running.append(name)
        running = [name for name in running if fed[name] < total[name]]
        steps.append(step)
    return steps
