"""The clock is arithmetic on microseconds."""

from harbourmaster_server.clock import Clock, ClockStatistics, ClockTerms, bucket_of

BANK = ClockTerms(bank=1000, increment=100, first_turn_allowance=0, grace=50)
TURN = ClockTerms(bank=None, increment=0, turn_limit=1000, first_turn_allowance=500, grace=0)


def test_a_decision_is_charged_what_it_took_less_the_grace() -> None:
    assert Clock.start(BANK).charge(300) == (250, Clock(BANK, 750, 0))


def test_grace_is_not_saved_up() -> None:
    assert Clock.start(BANK).charge(10) == (0, Clock(BANK, 1000, 0))


def test_the_flag_falls_one_microsecond_after_limit_and_grace() -> None:
    assert Clock.start(BANK).charge(1050)[1] == Clock(BANK, 0, 0)
    assert Clock.start(BANK).charge(1051)[1] is None


def test_an_increment_comes_after_the_turn_and_not_within_it() -> None:
    _, clock = Clock.start(BANK).charge(550)

    assert clock is not None
    assert clock.left == 500
    assert clock.end_turn().left == 600


def test_a_turn_limit_is_whole_again_after_the_turn() -> None:
    _, clock = Clock.start(TURN).charge(1400)

    assert clock == Clock(TURN, 100, 0)
    assert clock.end_turn() == Clock(TURN, 1000, 0)


def test_the_first_turns_extra_time_is_used_first_and_then_lost() -> None:
    clock = Clock.start(TURN)

    assert clock.shown == 1500
    assert clock.charge(300)[1] == Clock(TURN, 1000, 200)
    assert clock.end_turn().shown == 1000


def test_a_bot_that_takes_a_millisecond_for_ten_thousand_moves_of_a_bank_does_not_lose() -> None:
    clock = Clock.start(ClockTerms(bank=20_000_000, increment=0, first_turn_allowance=0, grace=0))
    for _ in range(10_000):
        _, after = clock.charge(1000)
        assert after is not None
        clock = after.end_turn()

    assert clock.left == 10_000_000


def test_without_a_limit_no_flag_falls() -> None:
    clock = Clock.start(ClockTerms(bank=None, increment=0))

    assert clock.charge(10**12) == (10**12 - 50_000, clock)
    assert clock.budget is None
    assert clock.shown is None


def test_statistics_count_every_decision_in_its_bucket() -> None:
    statistics = ClockStatistics()
    statistics.add(53, 3, 10, 1)
    statistics.add(1050, 1000, 0, 2)

    assert (statistics.decisions, statistics.thought, statistics.longest) == (2, 1003, 1000)
    assert statistics.histogram == {bucket_of(53): 1, bucket_of(1050): 1}
