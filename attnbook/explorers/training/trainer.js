// How a layer learns to reverse sequences.

// All of it: it uses no name from outside, since its text is the script of a worker.
export function training() {
  // The model: one layer of attention, its gradients and Adam, the same steps as attnutils from the
  // same start. A matrix is a Float64Array, row by row.
  function reversal() {
    const [WIDTH, LETTERS, LENGTH, ROWS] = [32, 12, 10, 32];
    const ALL = ROWS * LENGTH;
    const [DRAWN, REDRAWN, BATCHES] = [1, 10001, 1000001];

    // Random numbers, the same in Python: SplitMix with the finalizer of MurmurHash3.
    function mixed(x) {
      x = Math.imul(x ^ (x >>> 16), 0x85ebca6b);
      x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35);
      return (x ^ (x >>> 16)) >>> 0;
    }
    const bits = (start, place) => mixed((mixed(start) + Math.imul(place, 0x9e3779b9)) >>> 0);

    // The parameters, one after the other in one list.
    const SIZE = LETTERS * WIDTH + 3 * WIDTH * WIDTH + WIDTH * LETTERS + LETTERS;
    function named(all) {
      let at = 0;
      const next = (n) => all.subarray(at, (at += n));
      return {
        embedding: next(LETTERS * WIDTH),
        query: next(WIDTH * WIDTH),
        key: next(WIDTH * WIDTH),
        value: next(WIDTH * WIDTH),
        output: next(WIDTH * LETTERS),
        bias: next(LETTERS),
      };
    }

    // Random parameters; biases are 0.
    function drawn(start, first = DRAWN) {
      const all = new Float64Array(SIZE);
      for (let i = 0; i < SIZE - LETTERS; i++) {
        const x = bits(start, first + i);
        const sum = (x & 255) + ((x >>> 8) & 255) + ((x >>> 16) & 255) + (x >>> 24);
        const size = i < LETTERS * WIDTH ? 0.5 : 1 / Math.sqrt(WIDTH);
        all[i] = ((sum - 510) / Math.sqrt(21845)) * size;
      }
      return all;
    }

    // The sequences of a step: the first letters of shuffled alphabets.
    function minibatch(start, step) {
      return Array.from({ length: ROWS }, (_, row) => {
        const letters = Array.from({ length: LETTERS }, (_, letter) => letter);
        for (let i = 0; i < LENGTH; i++) {
          const place = BATCHES + (step * ROWS + row) * LENGTH + i;
          const j = i + (bits(start, place) % (LETTERS - i));
          [letters[i], letters[j]] = [letters[j], letters[i]];
        }
        return letters.slice(0, LENGTH);
      });
    }

    // The encodings of the positions: a row of sines and cosines for each.
    const waves = Float64Array.from({ length: LENGTH * WIDTH }, (_, at) => {
      const [i, c] = [Math.floor(at / WIDTH), at % WIDTH];
      const angle = i * 10000 ** (-(c - (c % 2)) / WIDTH);
      return c % 2 ? Math.cos(angle) : Math.sin(angle);
    });

    // a (n, m) times b (m, p).
    function times(a, b, n, m, p) {
      const c = new Float64Array(n * p);
      for (let i = 0; i < n; i++) {
        const [from, to] = [i * m, i * p];
        let k = 0;
        for (; k + 4 <= m; k += 4) {
          // four rows of b at a time: twice as fast
          const a0 = a[from + k],
            a1 = a[from + k + 1],
            a2 = a[from + k + 2],
            a3 = a[from + k + 3];
          for (let j = 0, at = k * p; j < p; j++, at++) {
            c[to + j] += a0 * b[at] + a1 * b[at + p] + a2 * b[at + 2 * p] + a3 * b[at + 3 * p];
          }
        }
        for (; k < m; k++) for (let j = 0; j < p; j++) c[to + j] += a[from + k] * b[k * p + j];
      }
      return c;
    }

    function transposed(a, n, m) {
      const c = new Float64Array(n * m);
      for (let i = 0; i < n; i++) for (let j = 0; j < m; j++) c[j * n + i] = a[i * m + j];
      return c;
    }

    // Softmax of each row, in place.
    function softmaxRows(x, width) {
      for (let at = 0; at < x.length; at += width) {
        const row = x.subarray(at, at + width);
        const top = Math.max(...row);
        let total = 0;
        for (let j = 0; j < width; j++) total += row[j] = Math.exp(row[j] - top);
        for (let j = 0; j < width; j++) row[j] /= total;
      }
      return x;
    }

    // Forward, for sequences of n letters each: all that the way back needs again.
    function forward(all, tokens, positions) {
      const p = named(all);
      const [n, rows] = [tokens[0].length, tokens.length * tokens[0].length];
      const x = new Float64Array(rows * WIDTH);
      tokens.flat().forEach((letter, row) => {
        for (let c = 0; c < WIDTH; c++) {
          x[row * WIDTH + c] =
            p.embedding[letter * WIDTH + c] + (positions ? waves[(row % n) * WIDTH + c] : 0);
        }
      });
      const [q, k, v] = [p.query, p.key, p.value].map((matrix) =>
        times(x, matrix, rows, WIDTH, WIDTH),
      );
      const y = new Float64Array(rows * WIDTH);
      const weights = tokens.map((_, sequence) => {
        const part = (a) => a.subarray(sequence * n * WIDTH, (sequence + 1) * n * WIDTH);
        const scores = times(part(q), transposed(part(k), n, WIDTH), n, WIDTH, n);
        const a = softmaxRows(
          scores.map((s) => s / Math.sqrt(WIDTH)),
          n,
        );
        part(y).set(times(a, part(v), n, n, WIDTH));
        return a;
      });
      const logits = times(y, p.output, rows, WIDTH, LETTERS);
      logits.forEach((_, i) => {
        logits[i] += p.bias[i % LETTERS];
      });
      return { x, q, k, v, y, weights, logits };
    }

    // The loss on sequences that are to be reversed, and its gradient, a number for each parameter.
    function backward(all, tokens, positions) {
      const p = named(all);
      const { x, q, k, v, y, weights, logits } = forward(all, tokens, positions);
      const gradients = new Float64Array(SIZE);
      const d = named(gradients);
      let loss = 0;
      const dLogits = softmaxRows(logits, LETTERS);
      tokens
        .flatMap((row) => [...row].reverse())
        .forEach((right, row) => {
          loss -= Math.log(dLogits[row * LETTERS + right]) / ALL;
          dLogits[row * LETTERS + right] -= 1;
        });
      dLogits.forEach((g, i) => {
        dLogits[i] = g / ALL;
        d.bias[i % LETTERS] += g / ALL;
      });
      d.output.set(times(transposed(y, ALL, WIDTH), dLogits, WIDTH, ALL, LETTERS));
      const dY = times(dLogits, transposed(p.output, WIDTH, LETTERS), ALL, LETTERS, WIDTH);

      const [dQ, dK, dV] = [q, k, v].map(({ length }) => new Float64Array(length));
      weights.forEach((a, sequence) => {
        const part = (m) => m.subarray(sequence * LENGTH * WIDTH, (sequence + 1) * LENGTH * WIDTH);
        part(dV).set(times(transposed(a, LENGTH, LENGTH), part(dY), LENGTH, LENGTH, WIDTH));
        const dA = times(part(dY), transposed(part(v), LENGTH, WIDTH), LENGTH, WIDTH, LENGTH);
        const dS = new Float64Array(a.length);
        for (let from = 0; from < a.length; from += LENGTH) {
          let mixture = 0;
          for (let j = from; j < from + LENGTH; j++) mixture += a[j] * dA[j];
          for (let j = from; j < from + LENGTH; j++)
            dS[j] = (a[j] * (dA[j] - mixture)) / Math.sqrt(WIDTH);
        }
        part(dQ).set(times(dS, part(k), LENGTH, LENGTH, WIDTH));
        part(dK).set(times(transposed(dS, LENGTH, LENGTH), part(q), LENGTH, LENGTH, WIDTH));
      });
      const xT = transposed(x, ALL, WIDTH);
      const dX = new Float64Array(x.length);
      for (const [matrix, slot, g] of [
        [p.query, d.query, dQ],
        [p.key, d.key, dK],
        [p.value, d.value, dV],
      ]) {
        slot.set(times(xT, g, WIDTH, ALL, WIDTH));
        times(g, transposed(matrix, WIDTH, WIDTH), ALL, WIDTH, WIDTH).forEach((back, i) => {
          dX[i] += back;
        });
      }
      tokens.flat().forEach((letter, row) => {
        for (let c = 0; c < WIDTH; c++) d.embedding[letter * WIDTH + c] += dX[row * WIDTH + c];
      });
      return { loss, gradients };
    }

    // Adam, which remembers nothing yet, and a step of it.
    const fresh = (all) => ({
      all,
      mean: new Float64Array(SIZE),
      square: new Float64Array(SIZE),
      t: 0,
      step: 0,
    });
    function adam(state, gradients, rate) {
      const t = state.t + 1;
      const mean = state.mean.map((m, i) => 0.9 * m + 0.1 * gradients[i]);
      const square = state.square.map((u, i) => 0.999 * u + 0.001 * gradients[i] ** 2);
      const all = state.all.map(
        (x, i) =>
          x - (rate * mean[i]) / (1 - 0.9 ** t) / (Math.sqrt(square[i] / (1 - 0.999 ** t)) + 1e-8),
      );
      return { all, mean, square, t, step: state.step + 1 };
    }

    // What is done to the parameters at a fork: of these arrays each is divided, or drawn anew.
    const REMEDIES = {
      nothing: [[]],
      "W_q and W_k divided by 30": [["query", "key"], 30],
      "W_q alone divided by 30": [["query"], 30],
      "W_q and W_k divided by 3": [["query", "key"], 3],
      "W_q and W_k drawn anew": [["query", "key"]],
      "all but W_q and W_k drawn anew": [["embedding", "value", "output", "bias"]],
    };
    function remedied(all, remedy, start) {
      const [after, other] = [all.slice(), named(drawn(start, REDRAWN))];
      const [names, by] = REMEDIES[remedy];
      const p = named(after);
      for (const name of names) p[name].set(by ? p[name].map((w) => w / by) : other[name]);
      return after;
    }

    // What the model says to some letters, and where it looks.
    function answer(all, tokens, positions) {
      const {
        weights: [weights],
        logits,
      } = forward(all, [tokens], positions);
      const said = tokens.map((_, i) => {
        const row = logits.subarray(i * LETTERS, (i + 1) * LETTERS);
        return row.indexOf(Math.max(...row));
      });
      return { weights: [...weights], said };
    }

    // The model before a step: what it makes of the example and of all but its last letter, and what
    // the step's minibatch asks of it.
    function look({ start, positions, example }, all, step) {
      const { loss, gradients } = backward(all, minibatch(start, step), positions);
      const answers = [example, example.slice(0, -1)].map((letters) =>
        answer(all, letters, positions),
      );
      return { stage: { step, loss, answers }, gradients };
    }

    return { adam, backward, drawn, fresh, look, minibatch, remedied };
  }

  // Trains when asked, some steps at a time, and reports the stages of each leg: the trunk, "", and
  // the branches from its fork. It runs in a worker or, where there is none, on the page.
  const AFTER = 0.01; // the rate of a branch
  function trainer(model, report, atOnce) {
    let legs = new Map(); // of this run: how far each has come
    let [id, run, until, fork, isBusy] = [-1, null, 0, null, false];

    function work() {
      const { start, rate } = run;
      const leg = fork ? run.branch : "";
      const to = leg === run.branch ? until : run.fork;
      const stages = [];
      let state = legs.get(leg);
      if (!state) {
        const all = leg ? model.remedied(fork.all, leg, start) : model.drawn(start);
        state = leg === "nothing" ? fork : { ...model.fresh(all), step: leg ? run.fork : 0 };
      }
      while (state.step <= to && stages.length < atOnce) {
        if (!leg && state.step === run.fork) fork = state;
        const { stage, gradients } = model.look(run, state.all, state.step);
        stages.push(stage);
        state = model.adam(state, gradients, leg ? AFTER : rate);
      }
      legs.set(leg, state);
      if (stages.length > 0) report({ id, leg, stages });
      isBusy = leg !== run.branch || state.step <= until;
      if (isBusy) setTimeout(work, 15); // so that one sees it grow
    }

    return (message) => {
      if (message.id !== id) [legs, fork] = [new Map(), null];
      ({ id, run, to: until } = message);
      if (!isBusy) work();
    };
  }

  return { AFTER, reversal, trainer };
}

export const { AFTER, reversal, trainer } = training();
