"""The tool that trains on short texts and tests on longer ones, with few steps and seeds."""

import numpy as np
import pytest

from attnutils import numerical_gradient
from attnutils.longer_texts import SCHEMES, TASKS, latest_mark_batch, packed, unpacked
from tests.conftest import exhaustive
from tools.experiments import longer_texts as tool


def stored():
    with np.load(tool.STORED, allow_pickle=False) as file:
        return dict(file)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_gradients_are_those_that_trying_finds(scheme):
    rng = np.random.default_rng(0)
    model = tool.PositionModel(*(part.astype(np.float64) for part in tool.initial(rng)))
    tokens, targets = latest_mark_batch(rng, 2, 6)
    _, gradients = tool.loss_and_gradients(model, tokens, targets, scheme)
    for name, gradient in gradients._asdict().items():
        part = getattr(model, name)
        places = [tuple(rng.integers(part.shape)) for _ in range(8)]

        def loss(x, name=name, part=part, places=places):
            moved = part.copy()
            moved[tuple(zip(*places, strict=True))] = x
            return tool.loss_and_gradients(
                model._replace(**{name: moved}), tokens, targets, scheme
            )[0]

        places = list(dict.fromkeys(places))
        at = tuple(zip(*places, strict=True))
        found = numerical_gradient(
            lambda x, loss=loss, places=places: loss(x, places=places), part[at]
        )
        np.testing.assert_allclose(found, gradient[at], atol=1e-7)


@exhaustive
def test_one_model_trained_again_does_as_the_stored_one():
    """Rotary, three back: right in the short texts, lost in the long ones."""
    model = tool.trained("three back", "rotary", 0)
    right, asked = tool.tested(model, "three back", "rotary", 0)
    assert right[3:16].sum() / asked[3:16].sum() > 0.98
    assert right[40:].sum() / asked[40:].sum() < 0.25


def test_the_stored_models_do_what_is_stored_of_them():
    arrays = stored()
    for t, task in enumerate(TASKS):
        for s, scheme in enumerate(SCHEMES):
            model = unpacked(arrays["models"][t, s])
            right, asked = tool.tested(model, task, scheme, 0)
            # A rounding may decide between two classes.
            assert np.abs(right - arrays["right"][t, s, 0].astype(int)).max() <= 2
            np.testing.assert_array_equal(asked, arrays["asked"][t, 0])


def test_results_agree_up_to_the_noise_of_training_and_no_further():
    made = stored()
    assert tool.agree(stored(), made)
    made["models"] = made["models"] * 0  # other numbers may do the same
    assert tool.agree(stored(), made)
    made["right"][1, 2, :, 20:40] //= 2
    assert not tool.agree(stored(), made)
    made = stored()
    made["right"] = made["right"][:, :, :19]
    assert not tool.agree(stored(), made)


def test_the_file_is_small_and_the_readme_tells_its_arrays():
    assert tool.STORED.stat().st_size <= 100_000
    readme = (tool.STORED.parent / "README.md").read_text(encoding="utf-8")
    for name, array in stored().items():
        assert f"| `{name}` | {array.shape}, {array.dtype} |" in readme
    model = unpacked(stored()["models"][0, 0])
    np.testing.assert_array_equal(packed(model), stored()["models"][0, 0])
