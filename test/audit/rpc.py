"""CometBFT's RPC and JSON-RPC, over one connection each."""
import http.client
import json
from base64 import b64decode
from urllib.parse import urlencode, urlparse


class RpcError(RuntimeError):
    """What a node does not answer: no fault of the chain, but nothing is shown without it."""


class Rpc:
    def __init__(self, url):
        parsed = urlparse(url)
        self.host, self.path = parsed.netloc, parsed.path or '/'
        self.connection = http.client.HTTPConnection(self.host, timeout=60)
        self.asked = 0

    def _send(self, method, path, body=None, headers=None):
        self.asked += 1
        for attempt in (0, 1):
            try:
                self.connection.request(method, path, body, headers or {})
                return json.loads(self.connection.getresponse().read())
            except (http.client.HTTPException, OSError, ValueError) as error:
                self.connection.close()
                if attempt:
                    raise RpcError(f'{self.host}{path}: {error!r}') from None
        raise RpcError(path)

    def comet(self, route, **arguments):
        path = f'/{route}?{urlencode(arguments)}' if arguments else f'/{route}'
        reply = self._send('GET', path)
        if 'error' in reply:
            raise RpcError(f'{path}: {reply["error"]}')
        return reply['result']

    def ethereum(self, method, *params):
        body = json.dumps({'jsonrpc': '2.0', 'id': 1, 'method': method, 'params': params})
        reply = self._send('POST', self.path, body, {'content-type': 'application/json'})
        if 'error' in reply:
            raise RpcError(f'{method}: {reply["error"]}')
        return reply['result']

    def query(self, path, data, height, prove=False):
        arguments = {'path': f'"{path}"', 'data': '0x' + data.hex(), 'height': height}
        if prove:
            arguments['prove'] = 'true'
        response = self.comet('abci_query', **arguments)['response']
        if response.get('code'):
            raise RpcError(f'abci_query {path}: {response}')
        return response


def base64(text):
    return b64decode(text) if text else b''
