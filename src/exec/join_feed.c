/*-------------------------------------------------------------------------
 *
 * join_feed.c
 *	  How a row of one side's plan becomes a row of the side's columns.
 *
 * Most columns are the plan's own.  A key that is an expression is evaluated by
 * PostgreSQL, over a slot that is shaped like the node's scan slot and has the
 * side's columns in their places, as its expressions are over that.
 *
 * The memory of keys lasts until the next row.
 *
 * IDENTIFICATION
 *	  src/exec/join_feed.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "executor/executor.h"
#include "nodes/nodeFuncs.h"

#include "compat.h"
#include "exec/join_feed.h"

/* expression_tree_walker: is there a Param? */
static bool
has_param(Node *node, void *context)
{
	if (node == NULL)
		return false;
	return IsA(node, Param) || expression_tree_walker(node, has_param, context);
}

void
gpustr_feed_init(GpustrFeed *feed, CustomScanState *node, const GpustrJoinPlan *join,
				 const GpustrSide *side, int number)
{
	EState	   *estate = node->ss.ps.state;
	int			i;

	feed->side = side;
	for (i = 0; i < side->ncolumns; i++)
	{
		const GpustrSideColumn *column = &side->column[i];

		if (column->slot_column >= 0)
		{
			Assert(join->column[column->slot_column].side == number);
			Assert(feed->ncolumns == i);
			feed->resno[i] = join->column[column->slot_column].resno;
			feed->last_resno = Max(feed->last_resno, feed->resno[i]);
			feed->ncolumns = i + 1;
			continue;
		}
		if (feed->slot == NULL)
		{
			feed->slot = ExecInitExtraTupleSlot(estate,
												node->ss.ss_ScanTupleSlot->tts_tupleDescriptor,
												&TTSOpsVirtual);
			ExecStoreAllNullTuple(feed->slot);
			feed->econtext = CreateExprContext(estate);
		}
		feed->key[i] = ExecInitExpr(column->key, &node->ss.ps);
		feed->has_params |= has_param((Node *) column->key, NULL);
	}
}

/* Evaluate the keys that are expressions. */
static void
feed_keys(GpustrFeed *feed)
{
	const GpustrSide *side = feed->side;
	int			i;

	ResetExprContext(feed->econtext);
	for (i = 0; i < feed->ncolumns; i++)
	{
		feed->slot->tts_values[side->column[i].slot_column] = feed->value[i];
		feed->slot->tts_isnull[side->column[i].slot_column] = feed->isnull[i];
	}
	feed->econtext->ecxt_scantuple = feed->slot;
	for (; i < side->ncolumns; i++)
		feed->value[i] = ExecEvalExprSwitchContext(feed->key[i], feed->econtext, &feed->isnull[i]);
}

void
gpustr_feed_row(GpustrFeed *feed, TupleTableSlot *slot)
{
	int			i;

	slot_getsomeattrs(slot, feed->last_resno);
	for (i = 0; i < feed->ncolumns; i++)
	{
		int			at = feed->resno[i] - 1;

		feed->value[i] = slot->tts_values[at];
		feed->isnull[i] = slot->tts_isnull[at];
	}
	if (feed->slot != NULL)
		feed_keys(feed);
}
