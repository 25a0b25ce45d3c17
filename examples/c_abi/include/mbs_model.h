/* One model compiled by mbs; see examples/c_abi.
 *
 *   M(q) v' + h(q, v) = tau - G^T lambda,   0 = G v' + z
 *
 * Arrays belong to the caller and do not overlap; their lengths are those of mbs_n_q() and
 * mbs_n_v(). SI units. No function allocates or keeps state; all may be called from any
 * thread. Functions return 0, or 1 for a null pointer, or 2 if nothing resists some motion.
 */
#ifndef MBS_MODEL_H
#define MBS_MODEL_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

const char *mbs_model_name(void);
size_t mbs_n_q(void);
size_t mbs_n_v(void);
size_t mbs_n_lambda(void); /* constraint rows; 0 for trees */
size_t mbs_n_u(void);      /* input slots, all held at zero */

/* Initial values of the model, not yet made consistent. */
int mbs_initial(double *q, double *v);

/* m: n_v x n_v, symmetric. */
int mbs_mass_matrix(const double *q, double *m);

/* h: forces that hold the motion at v' = 0. */
int mbs_bias(const double *q, const double *v, double *h);

/* tau = M v' + h */
int mbs_inverse_dynamics(const double *q, const double *v, const double *v_dot, double *tau);

/* v' under tau, with the constraints kept. */
int mbs_forward_dynamics(const double *q, const double *v, const double *tau, double *v_dot);

#ifdef __cplusplus
}
#endif

#endif
