// Reads the trees that table.py writes as plain numbers.
#pragma once

#include <fstream>
#include <stdexcept>
#include <string>

#include <pinocchio/multibody.hpp>
#include <pinocchio/multibody/joint.hpp>

// Per body: parent (-1: ground), axis (0, 1, 2: x, y, z), rotation row by row, position, mass,
// centre of mass, inertia about it row by row.
inline pinocchio::Model read_model(const char *path) {
    std::ifstream in(path);
    in.exceptions(std::ios::failbit | std::ios::badbit);
    const auto vector = [&] {
        Eigen::Vector3d v;
        in >> v[0] >> v[1] >> v[2];
        return v;
    };
    const auto matrix = [&] {
        Eigen::Matrix3d m;
        for (int row = 0; row < 3; ++row) m.row(row) = vector();
        return m;
    };
    pinocchio::Model model;
    int bodies = 0;
    in >> bodies;
    model.gravity.linear() = vector();
    for (int body = 0; body < bodies; ++body) {
        int parent = 0, axis = 0;
        double mass = 0;
        in >> parent >> axis;
        const Eigen::Matrix3d rotation = matrix();
        const Eigen::Vector3d position = vector();
        in >> mass;
        const Eigen::Vector3d com = vector();
        const Eigen::Matrix3d inertia = matrix();
        pinocchio::JointModel joint = pinocchio::JointModelRX();
        if (axis == 1) joint = pinocchio::JointModelRY();
        if (axis == 2) joint = pinocchio::JointModelRZ();
        const auto id = model.addJoint(parent + 1, joint, {rotation, position}, "j" + std::to_string(body));
        model.appendBodyToJoint(id, pinocchio::Inertia(mass, com, inertia), pinocchio::SE3::Identity());
    }
    return model;
}
