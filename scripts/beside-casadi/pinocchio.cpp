// Pinocchio itself behind plain functions, for time.c.
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/rnea.hpp>

#include "model.hpp"

using Vector = Eigen::Map<Eigen::VectorXd>;
using Given = Eigen::Map<const Eigen::VectorXd>;

static pinocchio::Model model;
static pinocchio::Data data;

extern "C" void pinocchio_read(const char *path) {
    model = read_model(path);
    data = pinocchio::Data(model);
}

static int mass_matrix(const double *q, double *m, pinocchio::Convention convention) {
    const int n = model.nv;
    pinocchio::crba(model, data, Given(q, n), convention);
    data.M.triangularView<Eigen::StrictlyLower>() = data.M.transpose().triangularView<Eigen::StrictlyLower>();
    Eigen::Map<Eigen::MatrixXd>(m, n, n) = data.M;
    return 0;
}

static int accelerations(const double *q, const double *v, const double *tau, double *v_dot, pinocchio::Convention convention) {
    const int n = model.nv;
    Vector(v_dot, n) = pinocchio::aba(model, data, Given(q, n), Given(v, n), Given(tau, n), convention);
    return 0;
}

extern "C" int pinocchio_h(const double *q, const double *v, double *h) {
    const int n = model.nv;
    Vector(h, n) = pinocchio::nonLinearEffects(model, data, Given(q, n), Given(v, n));
    return 0;
}

extern "C" int pinocchio_M_body(const double *q, double *m) {
    return mass_matrix(q, m, pinocchio::Convention::LOCAL);
}

extern "C" int pinocchio_M_ground(const double *q, double *m) {
    return mass_matrix(q, m, pinocchio::Convention::WORLD);
}

extern "C" int pinocchio_FD_body(const double *q, const double *v, const double *tau, double *v_dot) {
    return accelerations(q, v, tau, v_dot, pinocchio::Convention::LOCAL);
}

extern "C" int pinocchio_FD_ground(const double *q, const double *v, const double *tau, double *v_dot) {
    return accelerations(q, v, tau, v_dot, pinocchio::Convention::WORLD);
}
