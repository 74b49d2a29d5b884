# SPDX-License-Identifier: MIT
import os
import signal
import threading

import numpy
import pytest

import l2r


def test_ctrl_c_ends_a_long_call():
    z = numpy.random.default_rng(0).normal(size=(1500, 30)).astype("f4")
    before = signal.getsignal(signal.SIGINT)
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        l2r.decorrelate(z, n_steps=10**5)
    timer.join()
    assert signal.getsignal(signal.SIGINT) is before
    assert l2r.decorrelate(z, n_steps=1).shape == (1500,)  # nothing of it is left


def test_a_handler_of_ones_own_stays():
    seen = []
    before = signal.signal(signal.SIGINT, lambda *_: seen.append(1))
    try:
        timer = threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        l2r.decorrelate(numpy.random.default_rng(0).normal(size=(300, 5)), n_steps=300)
        timer.join()
    finally:
        signal.signal(signal.SIGINT, before)
    assert seen == [1]
