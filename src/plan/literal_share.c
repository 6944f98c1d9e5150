/*-------------------------------------------------------------------------
 *
 * literal_share.c
 *	  How many of a column's values have a literal.
 *
 * PostgreSQL's estimate for LIKE (patternsel), by the same functions: the pattern is
 * tried on the most common values and on the bounds of the histogram.  What it
 * adds for columns that these say little of, that a longer literal is rarer, is
 * as good as 0 here.  Unlike patternsel this needs no planner, as programs are built in an
 * executor, too.
 *
 * Statistics that the user may not see are not looked at: see
 * statistic_proc_security_check().
 *
 * IDENTIFICATION
 *	  src/plan/literal_share.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_class.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_statistic.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/selfuncs.h"
#include "utils/syscache.h"

#include "compat.h"
#include "plan/literal_share.h"

/* Bounds of a histogram from which on it is trusted, and the fewest that tell something. */
#define TRUSTED_BOUNDS 100
#define FEWEST_BOUNDS 10

/* May the user see all values of the column? */
static bool
sees_all(Oid relation, AttrNumber attribute)
{
	HeapTuple	tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relation));
	bool		secured = true;

	if (HeapTupleIsValid(tuple))
	{
		secured = ((Form_pg_class) GETSTRUCT(tuple))->relrowsecurity;
		ReleaseSysCache(tuple);
	}
	return !secured && (pg_class_aclcheck(relation, GetUserId(), ACL_SELECT) == ACLCHECK_OK ||
						pg_attribute_aclcheck(relation, attribute, GetUserId(), ACL_SELECT) == ACLCHECK_OK);
}

double
gpustr_literal_share(Oid relation, AttrNumber attribute, const char *pattern, int bytes)
{
	VariableStatData column;
	FmgrInfo	like;
	Datum		constant = PointerGetDatum(cstring_to_text_with_len(pattern, bytes));
	double		common_share;
	double		common;
	double		other_share;
	double		nulls;
	int			nbounds;

	memset(&column, 0, sizeof(column));
	column.atttype = get_atttype(relation, attribute);
	if (column.atttype != TEXTOID && column.atttype != VARCHAROID && column.atttype != BPCHAROID)
		return 0;
	column.statsTuple = SearchSysCache3(STATRELATTINH, ObjectIdGetDatum(relation),
										Int16GetDatum(attribute), BoolGetDatum(false));
	if (!HeapTupleIsValid(column.statsTuple))
		return 0;
	column.freefunc = ReleaseSysCache;
	column.acl_ok = sees_all(relation, attribute);
	fmgr_info(F_TEXTLIKE, &like);
	common_share = mcv_selectivity(&column, &like, C_COLLATION_OID, constant, true, &common);
	other_share = histogram_selectivity(&column, &like, C_COLLATION_OID, constant, true,
										FEWEST_BOUNDS, 1, &nbounds);
	nulls = ((Form_pg_statistic) GETSTRUCT(column.statsTuple))->stanullfrac;
	ReleaseVariableStats(column);
	if (other_share < 0)
		other_share = 0;
	else if (nbounds < TRUSTED_BOUNDS)
		other_share *= (double) nbounds / TRUSTED_BOUNDS;
	if (nulls >= 1)
		return 0;
	return (common_share + other_share * Max(1 - nulls - common, 0)) / (1 - nulls);
}
