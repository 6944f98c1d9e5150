/*-------------------------------------------------------------------------
 *
 * place.h
 *	  What a place is: one process of a device.
 *
 * IDENTIFICATION
 *	  src/service/place.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUSTR_PLACE_H
#define GPUSTR_PLACE_H

/* The device of a place that is not negative (client.h). */
#define GPUSTR_PLACE_DEVICES 16
#define GPUSTR_PLACE_DEVICE(place) ((place) % GPUSTR_PLACE_DEVICES)

/* Has the place's process not ended yet? */
extern bool gpustr_place_is_same(int place);

/* And does it take requests? */
extern bool gpustr_place_is_up(int place);

#endif							/* GPUSTR_PLACE_H */
