// SPDX-License-Identifier: Apache-2.0
pragma solidity >=0.8.17;

address constant NATIVE_TOKEN = 0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE;
