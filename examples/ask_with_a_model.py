"""Ask a question that the grammar cannot answer, with a language model on any server that speaks
OpenAI's protocol.

    python examples/ask_with_a_model.py http://localhost:11434/v1 qwen2.5vl
    OPENAI_API_KEY=... python examples/ask_with_a_model.py https://api.openai.com/v1 gpt-4.1
"""

import sys

import scenemind as sm


def main(endpoint: str, model: str, question: str = "what could a child play with here?") -> None:
    models = {"language": {"model": model, "endpoint": endpoint}}
    with sm.map("sim:1:frames=60", models=models) as scene:
        answer = scene.ask(question)  # auto: the grammar where it is sure, else a model
        print(answer.text)
        print(f"by {answer.method}, {answer.usage.calls} calls, {answer.seconds:.1f} s")
        if answer.fallback:
            print(answer.fallback)  # why another method answered
        for step in answer.steps:
            print(" ", step)

        # A paper's method by its name: MemTree3D chooses key frames and shows them to the model.
        print(scene.ask(question, method="memtree").text)


if __name__ == "__main__":
    main(*sys.argv[1:])
