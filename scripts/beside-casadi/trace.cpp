// Traces mass matrix, bias forces and forward dynamics of a tree through Pinocchio's algorithms
// with CasADi's symbols in place of numbers, and saves them for table.py: M and accelerations in
// several ways, of which the fastest counts.
//
//   trace MODEL FOLDER
#include <pinocchio/autodiff/casadi.hpp>

#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/cholesky.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/rnea.hpp>

#include <vector>

#include "model.hpp"

using casadi::SX;
using Model = pinocchio::ModelTpl<SX>;
using Data = pinocchio::DataTpl<SX>;
using Vector = Model::VectorXs;

static Vector symbols(const SX &from) {
    Vector to(from.size1());
    for (int row = 0; row < to.size(); ++row) to[row] = from(row);
    return to;
}

template <typename Derived>
static SX dense(const Eigen::MatrixBase<Derived> &from) {
    SX to = SX::zeros(from.rows(), from.cols());
    for (int row = 0; row < from.rows(); ++row)
        for (int column = 0; column < from.cols(); ++column) to(row, column) = from(row, column);
    return SX::densify(to);
}

int main(int, char **argv) {
    const Model model = read_model(argv[1]).cast<SX>();
    const SX q = SX::sym("q", model.nq), v = SX::sym("v", model.nv), tau = SX::sym("tau", model.nv);
    const Vector qs = symbols(q), vs = symbols(v), taus = symbols(tau);

    const std::string folder = std::string(argv[2]) + "/";
    const auto save = [&](const std::string &name, const std::vector<SX> &in, const SX &out) {
        casadi::Function(name, in, {out}).save(folder + name + ".casadi");
    };
    Data data(model);
    save("h", {q, v}, dense(pinocchio::nonLinearEffects(model, data, qs, vs)));
    const Vector forces = taus - data.nle;
    // Recursions in body axes take fewer operations for few links, those in ground axes for many.
    for (const auto convention : {pinocchio::Convention::LOCAL, pinocchio::Convention::WORLD}) {
        const std::string axes = convention == pinocchio::Convention::LOCAL ? "_body" : "_ground";
        Data data(model);
        pinocchio::crba(model, data, qs, convention);
        data.M.triangularView<Eigen::StrictlyLower>() = data.M.transpose().triangularView<Eigen::StrictlyLower>();
        save("M" + axes, {q}, dense(data.M));
        pinocchio::cholesky::decompose(model, data);
        Vector v_dot = forces;
        pinocchio::cholesky::solve(model, data, v_dot);
        save("FD_factors" + axes, {q, v, tau}, dense(v_dot));
        Data fresh(model);
        save("FD_recursion" + axes, {q, v, tau}, dense(pinocchio::aba(model, fresh, qs, vs, taus, convention)));
    }
}
