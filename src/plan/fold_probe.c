/*-------------------------------------------------------------------------
 *
 * fold_probe.c
 *	  What ILIKE and starts_with need of their constants: how a collation folds
 *	  case, folded patterns, prefixes as patterns.
 *
 * In a multibyte encoding and under ICU, PostgreSQL folds pattern and value by
 * lower() and compares as LIKE does; else it folds byte by byte, as lower()
 * does too.  So lower() is asked, once for each ASCII character and collation.
 *
 * That is enough for values of ASCII: no locale folds an ASCII character by
 * what stands beside it unless that is not ASCII.  A character of which
 * lower() makes anything but one ASCII character (I in Turkish) leaves the
 * value to PostgreSQL, and so does one above ASCII, except under C, whose
 * lower() leaves those alone.
 *
 * The tables are kept by the collation's OID, for as long as PostgreSQL keeps
 * the locales behind them: until the backend ends.
 *
 * Not refused here: encodings, which matter to LIKE as well (shippable.c).
 *
 * IDENTIFICATION
 *	  src/plan/fold_probe.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "utils/builtins.h"
#include "utils/formatting.h"
#include "utils/hsearch.h"
#include "utils/lsyscache.h"

#include "compat.h"
#include "plan/fold_probe.h"

typedef struct FoldEntry
{
	Oid			collation;		/* hash key: must be first */
	GpustrFold	fold;
} FoldEntry;

static HTAB *folds = NULL;

const char *
gpustr_fold_refusal(Oid collation)
{
	if (!OidIsValid(collation))
		return "it has no collation";
	if (!get_collation_isdeterministic(collation))
		return psprintf("collation \"%s\" is nondeterministic",
						get_collation_name(collation));
	return NULL;
}

/* Ask lower() for every ASCII character; there is no zero byte in text. */
static void
probe(GpustrFold *fold, Oid collation)
{
	int			c;

	memset(fold, 0, sizeof(*fold));
	fold->ascii[0] = GPUSTR_FOLD_RECHECK;
	for (c = 1; c < 128; c++)
	{
		char		byte = (char) c;
		char	   *lower = str_tolower(&byte, 1, collation);

		if (lower[0] != '\0' && lower[1] == '\0' && !IS_HIGHBIT_SET(lower[0]))
			fold->ascii[c] = (uint8_t) lower[0];
		else
			fold->ascii[c] = GPUSTR_FOLD_RECHECK;
		pfree(lower);
	}
	fold->others_stay = gpustr_ctype_is_c(collation);
}

const GpustrFold *
gpustr_fold_for_collation(Oid collation)
{
	FoldEntry  *entry;

	if (gpustr_fold_refusal(collation) != NULL)
		return NULL;
	if (folds == NULL)
	{
		HASHCTL		ctl;

		ctl.keysize = sizeof(Oid);
		ctl.entrysize = sizeof(FoldEntry);
		folds = hash_create("gpustr folds by collation", 16, &ctl, HASH_ELEM | HASH_BLOBS);
	}
	entry = hash_search(folds, &collation, HASH_FIND, NULL);
	if (entry == NULL)
	{
		GpustrFold	fold;

		/* may raise an error: not with a half-made entry in the table */
		probe(&fold, collation);
		entry = hash_search(folds, &collation, HASH_ENTER, NULL);
		entry->fold = fold;
	}
	return &entry->fold;
}

struct varlena *
gpustr_fold_pattern(struct varlena *pattern, Oid collation)
{
	return DatumGetTextPP(DirectFunctionCall1Coll(lower, collation, PointerGetDatum(pattern)));
}

struct varlena *
gpustr_like_escape_prefix(struct varlena *prefix)
{
	const char *from = VARDATA_ANY(prefix);
	Size		bytes = VARSIZE_ANY_EXHDR(prefix);
	struct varlena *pattern = palloc(VARHDRSZ + 2 * bytes + 1);
	char	   *to = VARDATA(pattern);
	Size		i;

	for (i = 0; i < bytes; i++)
	{
		/* in the encodings that are offloaded, no byte of a longer character */
		if (from[i] == '%' || from[i] == '_' || from[i] == '\\')
			*to++ = '\\';
		*to++ = from[i];
	}
	*to++ = '%';
	SET_VARSIZE(pattern, to - (char *) pattern);
	return pattern;
}
