# SPDX-License-Identifier: BSD-3-Clause
"""What whole-program tests share: suites, processes, namespaces, peers, results."""
