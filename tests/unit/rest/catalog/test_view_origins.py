"""Where the columns of a view come from."""

from rest_compat.catalog.view_origins import view_origins


def test_only_the_outermost_target_list_tells_a_views_origins():
    tree = (
        "({QUERY :rtable ({RTE :eref {ALIAS :colnames (\\} \\{)} :subquery {QUERY :targetList"
        " ({TARGETENTRY :resno 1 :resorigtbl 5 :resorigcol 5}) :override 0}})"
        " :targetList ({TARGETENTRY :expr {VAR :varno 1} :resno 1 :resname a\\{b"
        " :ressortgroupref 0 :resorigtbl 7 :resorigcol 3 :resjunk false} {TARGETENTRY :expr"
        " {SUBLINK :subselect {QUERY :targetList ({TARGETENTRY :resno 1 :resorigtbl 9"
        " :resorigcol 9})}} :resno 2 :resorigtbl 0 :resorigcol 0}) :override 0})"
    )
    assert view_origins(tree) == {1: (7, 3)}
