"""The order book with the methods, names and shapes of ccxt, for bots that are written for it.

Run "make devnet", then: pip install web3 && python examples/ccxt_adapter.py
RPC_URL, REST_URL and PRIVATE_KEY override the devnet's. It needs eth_account (which web3.py brings) and nothing of ccxt itself: ccxt's
exceptions are here by the same names. Prices and amounts are floats at the edge, as in ccxt, and exact within; what fits no tick or lot is refused.
"""

import base64
import json
import os
import secrets
import time
import urllib.error
import urllib.request
from decimal import Decimal
from hashlib import sha256

from eth_account import Account

RPC_URL = os.environ.get("RPC_URL", "http://localhost:8545")
REST_URL = os.environ.get("REST_URL", "http://localhost:1317")
# The first account of the devnet: everyone knows this key.
KEY = os.environ.get("PRIVATE_KEY", "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80")

TIMEOUT_S = 20
# Blocks in which an order may still be executed: none, and it never is.
GOOD_FOR_BLOCKS = 20
TIMEFRAMES = {"1m": 60, "5m": 300, "15m": 900, "1h": 3_600, "4h": 14_400, "1d": 86_400}
STATUS = {
    "OPEN": "open", "FILLED": "closed", "CANCELLED": "canceled", "REJECTED": "rejected", "DROPPED": "expired",
    # No block holds it yet.
    "PENDING": "open", "ATTESTED": "open", "CARRIED": "open",
}
WAITING = {"ORDER_STATE_PENDING", "ORDER_STATE_ATTESTED", "ORDER_STATE_CARRIED"}
TIME_IN_FORCE = {"GTC": "gtc", "IOC": "ioc", "FOK": "fok", "PO": "post_only"}

# What is signed (docs/clob-spec.md, Scheme 1).
TYPES = {
    "ClobTx": [
        {"name": name, "type": kind}
        for name, kind in (
            ("owner", "address"), ("agent", "address"), ("subaccount", "uint32"), ("nonceMs", "uint64"),
            ("goodTilBlock", "uint32"), ("actions", "Action[]"),
        )
    ],
    "Action": [
        {"name": name, "type": kind}
        for name, kind in (
            ("kind", "string"), ("market", "uint32"), ("side", "string"), ("priceTicks", "uint64"), ("qtyLots", "uint64"),
            ("tif", "string"), ("stp", "string"), ("clientId", "bytes"), ("expireS", "uint64"), ("triggerTicks", "uint64"),
            ("triggerKind", "string"), ("maxFills", "uint32"), ("postOnlyMode", "string"), ("targetClientId", "bytes"),
            ("targetSeq", "uint64"), ("keepPriority", "bool"), ("atMs", "uint64"),
        )
    ],
}
DEFAULTS = {"string": "", "bytes": b"", "bool": False}
NO_ACTION = {member["name"]: DEFAULTS.get(member["type"], 0) for member in TYPES["Action"]}
NO_AGENT = "0x" + "00" * 20


class ExchangeError(Exception):
    """What the node refuses, in its words."""


class NetworkError(Exception):
    """No answer: whether an order was taken is unknown; fetch_order tells."""


class InvalidOrder(ExchangeError):
    """It fits no tick or lot, or the node refuses it."""


class OrderNotFound(ExchangeError):
    """No block has it yet, or none ever will."""


class BadSymbol(ExchangeError):
    """There is no such market."""


class NatClob:
    """One account on one chain. Ids of orders are client ids that the adapter makes, so that an order has its id before a block has it."""

    id = "natclob"
    timeframes = {name: str(seconds) for name, seconds in TIMEFRAMES.items()}

    def __init__(self, config=None):
        config = config or {}
        self.rpc_url = config.get("rpc", RPC_URL)
        self.rest_url = config.get("rest", REST_URL)
        self.account = Account.from_key(config.get("privateKey", KEY))
        self.address = self.account.address
        self.markets = {}
        self.units = {}
        self.last_nonce = 0
        info = self._rest("/cosmos/base/tendermint/v1beta1/node_info")
        self.native_chain_id = info["default_node_info"]["network"]
        self.evm_chain_id = int(self._rpc("eth_chainId"), 16)
        # As the history names owners.
        self.native_address = self._rest(f"/cosmos/evm/vm/v1/cosmos_account/{self.address}")["cosmos_address"]

    # Markets and what is public.

    def load_markets(self):
        if not self.markets:
            self.markets = {market["symbol"]: market for market in self.fetch_markets()}
        return self.markets

    def fetch_markets(self):
        found = self._rpc("clob_getMarkets", {})["markets"]
        return [self._market(each) for each in found]

    def fetch_order_book(self, symbol, limit=100):
        market = self.market(symbol)
        depth = self._rpc("clob_getDepth", {"market": market["id"], "levels": limit})

        def levels(side):
            return [[self._price(market, each["price_ticks"]), self._amount(market, each["lots"])] for each in depth[side]]

        return {
            "symbol": symbol, "timestamp": int(depth["time_ms"]), "nonce": int(depth["sequence"]),
            "bids": levels("bids"), "asks": levels("asks"),
        }

    def fetch_trades(self, symbol, limit=100):
        market = self.market(symbol)
        trades = self._rpc("clob_getTrades", {"market": market["id"], "limit": limit})["trades"]
        return [self._trade(market, each, each["taker_side"], "taker") for each in reversed(trades)]

    def fetch_ohlcv(self, symbol, timeframe="1m", since=None, limit=100):
        """[[time in ms, open, high, low, close, volume], ...], the oldest first; intervals without a trade are left out."""
        market = self.market(symbol)
        request = {"market": market["id"], "resolution_s": TIMEFRAMES[timeframe], "limit": limit}
        if since is not None:
            request["from_s"] = str(since // 1_000)
        candles = self._rpc("clob_getCandles", request)["candles"]
        rows = [
            [int(each["start_s"]) * 1_000]
            + [self._price(market, each[f"{what}_ticks"]) for what in ("open", "high", "low", "close")]
            + [self._amount(market, each["lots"])]
            for each in candles
        ]
        return sorted(rows)

    # The account.

    def fetch_balance(self):
        """What open orders lock is `used`; the rest is `free`."""
        self.load_markets()
        balances = self._rest(f"/cosmos/bank/v1beta1/balances/{self.address}?pagination.limit=1000")["balances"]
        free = {each["denom"]: int(each["amount"]) for each in balances}
        used = {}
        for order in self._open_orders():
            denom, amount = self._lock(order)
            used[denom] = used.get(denom, 0) + amount
        result = {"info": balances, "free": {}, "used": {}, "total": {}}
        for denom in sorted({*free, *used}):
            code, exponent = self._unit(denom)
            parts = {"free": free.get(denom, 0), "used": used.get(denom, 0)}
            parts["total"] = parts["free"] + parts["used"]
            result[code] = {name: float(Decimal(amount).scaleb(-exponent)) for name, amount in parts.items()}
            for name in parts:
                result[name][code] = result[code][name]
        return result

    def fetch_open_orders(self, symbol=None):
        self.load_markets()
        orders = [self._open_order(each) for each in self._open_orders()]
        return [order for order in orders if symbol in (None, order["symbol"])]

    def fetch_order(self, id, symbol=None):
        request = {"owner": self.address, "client_id": id}
        try:
            order = self._rpc("clob_getOrderByClientId", request)["order"]
        except ExchangeError as error:
            raise OrderNotFound(str(error)) from None
        return self._historical_order(order)

    def fetch_my_trades(self, symbol=None, limit=100):
        request = {"owner": self.address, "market": self.market(symbol)["id"] if symbol else 0, "limit": limit}
        trades = []
        for fill in reversed(self._rpc("clob_getFills", request)["fills"]):
            market = self._market_by_id(fill["market"])
            is_buy_taken = fill["taker_side"] == "SIDE_BUY"
            is_taker = fill["taker"] == self.native_address
            side = "SIDE_BUY" if is_taker == is_buy_taken else "SIDE_SELL"
            trades.append(self._trade(market, fill, side, "taker" if is_taker else "maker"))
        return trades

    # Orders.

    def create_order(self, symbol, type, side, amount, price=None, params=None):
        """`type` is limit or market; `params` may have timeInForce (GTC, IOC, FOK, PO) and slippage (of a market order, 0.05 is 5 %)."""
        params = params or {}
        market = self.market(symbol)
        tif = TIME_IN_FORCE[params.get("timeInForce", "GTC")]
        if type == "market":
            ticks, tif = self._worst_ticks(market, side, Decimal(str(params.get("slippage", 0.05)))), "ioc"
        elif price is None:
            raise InvalidOrder("a limit order needs a price")
        else:
            ticks = self._exact(price, market["precision"]["price"], "price")
        client_id = secrets.token_bytes(16)
        lots = self._exact(amount, market["precision"]["amount"], "amount")
        hash = self._send({
            "kind": "place", "market": market["id"], "side": side, "priceTicks": ticks, "qtyLots": lots, "tif": tif,
            "stp": "cancel_maker", "clientId": client_id, "triggerKind": "none", "postOnlyMode": "reject",
        })
        return {
            "id": client_id.hex(), "clientOrderId": client_id.hex(), "symbol": symbol, "type": type, "side": side,
            "price": self._price(market, ticks), "amount": float(amount), "status": "open", "info": {"hash": hash},
        }

    def cancel_order(self, id, symbol):
        """It takes effect where fetch_order says so; an order that was filled meanwhile stays filled."""
        market = self.market(symbol)
        hash = self._send({"kind": "cancel", "market": market["id"], "targetClientId": bytes.fromhex(id)})
        return {"id": id, "symbol": symbol, "info": {"hash": hash}}

    def wait_for_order(self, id, is_done=lambda order: True, timeout_s=60):
        """Not of ccxt: the order once a block has it and `is_done` says so."""
        deadline = time.monotonic() + timeout_s
        while True:
            try:
                order = self.fetch_order(id)
                if order["info"]["state"] not in WAITING and is_done(order):
                    return order
            except OrderNotFound:
                pass
            if time.monotonic() > deadline:
                raise OrderNotFound(f"no block has made that of order {id} within {timeout_s} seconds")
            time.sleep(0.2)

    # Signing and sending.

    def _send(self, action):
        chain = self._rpc("clob_getServerTime", {})
        # A signer uses each nonce once: times that only grow are never used twice.
        self.last_nonce = max(self.last_nonce + 1, int(chain["time_ms"]), time.time_ns() // 1_000_000)
        message = {
            "owner": self.address, "agent": NO_AGENT, "subaccount": 0, "nonceMs": self.last_nonce,
            "goodTilBlock": int(chain["height"]) + GOOD_FOR_BLOCKS, "actions": [{**NO_ACTION, **action}],
        }
        domain = {
            "name": "nat clob", "version": "1", "chainId": self.evm_chain_id,
            "salt": sha256(self.native_chain_id.encode()).digest(),
        }
        signed = self.account.sign_typed_data(domain, TYPES, message)
        order = {"message": _as_json(message), "signature": "0x" + signed.signature.hex().removeprefix("0x")}
        try:
            return self._rpc("clob_sendOrder", order)
        except ExchangeError as error:
            raise InvalidOrder(str(error)) from None

    def _worst_ticks(self, market, side, slippage):
        """The bound of a market order, from the best price of the other side."""
        request = {"market": market["id"], "levels": 1}
        levels = self._rpc("clob_getDepth", request)["asks" if side == "buy" else "bids"]
        if not levels:
            raise InvalidOrder(f"nobody {'sells' if side == 'buy' else 'buys'} {market['symbol']}")
        best = levels[0]["price_ticks"]
        return int(best * (1 + slippage)) if side == "buy" else max(1, int(best * (1 - slippage)))

    # Units and shapes.

    def market(self, symbol):
        try:
            return self.load_markets()[symbol]
        except KeyError:
            raise BadSymbol(f"there is no market {symbol}") from None

    def _market(self, found):
        (base, base_exponent), (quote, quote_exponent) = (self._unit(found[f"{side}_denom"]) for side in ("base", "quote"))
        lot = Decimal(found["lot_size"]).scaleb(-base_exponent).normalize()
        tick = (Decimal(found["factor"]).scaleb(-quote_exponent) / lot).normalize()
        settings = found["settings"]
        tier = settings["fees"][0]
        return {
            "id": found["id"], "symbol": f"{base}/{quote}", "base": base, "quote": quote, "type": "spot", "spot": True,
            "active": settings["status"] == "MARKET_STATUS_ACTIVE", "precision": {"amount": lot, "price": tick},
            "limits": {"cost": {"min": float(Decimal(settings["min_notional"]).scaleb(-quote_exponent))}},
            "maker": tier["maker_ppm"] / 1e6, "taker": tier["taker_ppm"] / 1e6, "info": found,
        }

    def _market_by_id(self, id):
        return next(market for market in self.load_markets().values() if market["id"] == id)

    def _unit(self, denom):
        """What people call a denomination, and the exponent of its unit."""
        if denom not in self.units:
            self.units[denom] = denom, 0
            try:
                metadata = self._rest(f"/cosmos/bank/v1beta1/denoms_metadata_by_query_string?denom={denom}")["metadata"]
                exponents = {unit["denom"]: unit["exponent"] for unit in metadata["denom_units"]}
                self.units[denom] = metadata["symbol"], exponents[metadata["display"]]
            except ExchangeError:
                # Nobody has described it: it goes by its own name, in its smallest unit.
                pass
        return self.units[denom]

    @staticmethod
    def _price(market, ticks):
        return float(ticks * market["precision"]["price"])

    @staticmethod
    def _amount(market, lots):
        return float(int(lots) * market["precision"]["amount"])

    @staticmethod
    def _exact(value, unit, what):
        count = Decimal(str(value)) / unit
        if count != int(count) or count <= 0:
            raise InvalidOrder(f"{what} {value} is no multiple of {unit}")
        return int(count)

    def _open_orders(self):
        orders, key = [], None
        while True:
            request = {"owner": self.address, "pagination": {"limit": "1000", **({"key": key} if key else {})}}
            page = self._rpc("clob_getOpenOrders", request)
            orders += page["orders"]
            key = (page.get("pagination") or {}).get("next_key")
            if not key:
                return orders

    def _lock(self, order):
        """What an open order has in escrow: a buy its notional and the highest fee, a sell what it sells."""
        info = self._market_by_id(order["market"])["info"]
        left = int(order["lots_left"])
        if order["side"] == "SIDE_SELL":
            return info["base_denom"], left * int(info["lot_size"])
        notional = order["price_ticks"] * left * int(info["factor"])
        return info["quote_denom"], notional - (-notional * order["locked_ppm"] // 1_000_000)

    def _open_order(self, order):
        filled = int(order["lots"]) - int(order["lots_left"])
        return self._order(order, "open", filled, None)

    def _historical_order(self, order):
        status = STATUS[order["state"].removeprefix("ORDER_STATE_")]
        return self._order(order, status, int(order["filled_lots"]), int(order["filled_ticks"]))

    def _order(self, order, status, filled_lots, filled_ticks):
        market = self._market_by_id(order["market"])
        id = _bytes_of(order["client_id"]).hex()
        average = None
        if filled_ticks and filled_lots:
            average = self._price(market, Decimal(filled_ticks) / filled_lots)
        return {
            "id": id, "clientOrderId": id, "symbol": market["symbol"], "type": "limit",
            "side": order["side"].removeprefix("SIDE_").lower(), "price": self._price(market, order["price_ticks"]),
            "amount": self._amount(market, order["lots"]), "filled": self._amount(market, filled_lots),
            "remaining": self._amount(market, int(order["lots"]) - filled_lots), "average": average,
            "status": status, "timestamp": int(order.get("time_ms", 0)) or None, "info": order,
        }

    def _trade(self, market, fill, side, role):
        price, amount = self._price(market, fill["price_ticks"]), self._amount(market, fill["lots"])
        cost = fill["price_ticks"] * market["precision"]["price"] * int(fill["lots"]) * market["precision"]["amount"]
        _, exponent = self._unit(market["info"]["quote_denom"])
        fee = int(fill["taker_fee"]) if role == "taker" else int(fill["maker_fee"]) - int(fill["maker_rebate"])
        return {
            "id": f"{market['id']}-{fill['sequence']}", "symbol": market["symbol"], "timestamp": int(fill["time_ms"]),
            "side": side.removeprefix("SIDE_").lower(), "price": price, "amount": amount, "cost": float(cost),
            "takerOrMaker": role, "fee": {"cost": float(Decimal(fee).scaleb(-exponent)), "currency": market["quote"]},
            "info": fill,
        }

    # The node's ports.

    def _rpc(self, method, *params):
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
        reply = _fetch(urllib.request.Request(self.rpc_url, body, {"content-type": "application/json"}))
        if "error" in reply:
            raise ExchangeError(f"{method}: {reply['error']['message']}")
        return reply["result"]

    def _rest(self, path):
        reply = _fetch(urllib.request.Request(self.rest_url + path))
        if "code" in reply and "message" in reply:
            raise ExchangeError(f"{path}: {reply['message']}")
        return reply


def _fetch(request):
    try:
        with urllib.request.urlopen(request, timeout=TIMEOUT_S) as response:
            return json.load(response)
    except urllib.error.HTTPError as error:
        try:
            return json.load(error)
        except ValueError:
            raise NetworkError(f"{request.full_url}: HTTP {error.code}") from None
    except (OSError, ValueError) as error:
        raise NetworkError(f"{request.full_url}: {error}") from None


def _as_json(message):
    """Bytes in hexadecimal; integers as they are, for none is beyond 2^53."""
    if isinstance(message, dict):
        return {name: _as_json(value) for name, value in message.items()}
    if isinstance(message, list):
        return [_as_json(value) for value in message]
    return "0x" + message.hex() if isinstance(message, bytes) else message


def _bytes_of(text):
    """Bytes in an answer are base64."""
    return base64.b64decode(text or "")


def main():
    exchange = NatClob()
    symbol = os.environ.get("SYMBOL", "NAT/TUSD")
    market = exchange.market(symbol)
    print(f"{symbol}: amounts in {market['precision']['amount']}, prices in {market['precision']['price']}")
    price = float(os.environ.get("PRICE", "1.1"))

    offer = exchange.create_order(symbol, "limit", "sell", 20, price, {"timeInForce": "PO"})
    exchange.wait_for_order(offer["id"])
    (resting,) = [order for order in exchange.fetch_open_orders(symbol) if order["id"] == offer["id"]]
    print(f"rests: {resting['side']} {resting['remaining']} at {resting['price']}")
    print(f"best ask: {exchange.fetch_order_book(symbol)['asks'][0]}")
    base = exchange.fetch_balance()[market["base"]]
    print(f"locked: {base['used']} {market['base']}")

    # Another account, where there is one, takes a part of it.
    taker = NatClob({"privateKey": os.environ["TAKER_KEY"]}) if "TAKER_KEY" in os.environ else None
    if taker is not None:
        bought = taker.create_order(symbol, "market", "buy", 15)
        done = taker.wait_for_order(bought["id"], lambda order: order["status"] != "open")
        print(f"bought: {done['filled']} at {done['average']}, {done['status']}")
        (mine,) = [trade for trade in taker.fetch_my_trades(symbol) if trade["price"] == price]
        print(f"paid: {mine['cost']} {market['quote']}, fee {mine['fee']['cost']} as {mine['takerOrMaker']}")
        print(f"last trade: {exchange.fetch_trades(symbol)[-1]['amount']}")
        print(f"minute: {exchange.fetch_ohlcv(symbol)[-1][4]}")

    exchange.cancel_order(offer["id"], symbol)
    ended = exchange.wait_for_order(offer["id"], lambda order: order["status"] != "open")
    print(f"ended: {ended['status']}, {ended['filled']} filled")


if __name__ == "__main__":
    main()
