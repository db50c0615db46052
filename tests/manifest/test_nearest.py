from argojobs.manifest.nearest import nearest, suggestion


def test_case_and_hyphens_do_not_matter():
    assert nearest("Batch-Size", ["epochs", "batch_size"]) == "batch_size"
    assert nearest("batchsize", ["epochs", "batch_size"]) == "batch_size"
    assert nearest("zzz", ["epochs"]) is None
    assert nearest("a", []) is None


def test_the_hint_has_the_nearest_and_all():
    assert suggestion("epoch", ["epochs", "rate"], what="the parameters are") == (
        "did you mean 'epochs'? the parameters are: epochs, rate"
    )
    assert suggestion("x", [], what="the parameters are") == "the parameters are: none"
    assert suggestion("zz", map(str, range(100, 200)), what="known").endswith("139 ...")
