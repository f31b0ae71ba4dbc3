// Draws a card that a host of MCP Apps sends: the blocks of cards.py, else the words of the result. All of it is text.
'use strict';
const LAYOUT = 'ia/card';
const main = document.querySelector('main');
const send = message => window.parent.postMessage({jsonrpc: '2.0', ...message}, '*');

function make(tag, text, ...children) {
  const node = document.createElement(tag);
  if (text) node.textContent = text.replace(/[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '');
  node.append(...children);
  return node;
}

function tiles(rows) {
  const list = make('dl', '', ...rows.map(([name, value]) => make('div', '', make('dt', name), make('dd', value || '–'))));
  list.className = 'figures';
  return list;
}

function table(head, rows) {
  const cells = (tag, row) => make('tr', '', ...row.map(cell => make(tag, cell)));
  const inner = make('table', '', make('thead', '', cells('th', head)), make('tbody', '', ...rows.map(row => cells('td', row))));
  for (const cell of inner.querySelectorAll('th')) cell.className = 'l';
  for (const cell of inner.querySelectorAll('td')) cell.className = 'wrap l';
  const box = make('div', '', inner);
  box.className = 'scroll';
  return box;
}

function draw({kind, title, rows, head}) {
  const body = kind === 'pairs' ? [tiles(rows)]
    : kind === 'table' ? [table(head, rows)]
    : kind === 'list' ? [make('ul', '', ...rows.map(([text]) => make('li', text)))]
    : rows.flatMap(([text]) => text.split(/\n{2,}/)).map(text => make('p', text));
  return title ? [make('h3', title), ...body] : body;
}

function show(result) {
  const layout = (result._meta || {})[LAYOUT];
  const words = (result.structuredContent || {}).text || (result.content || []).map(part => part.text || '').join('\n');
  const body = layout ? layout.blocks.flatMap(draw) : words.split('\n').map(line => make('p', line));
  main.replaceChildren(make('section', '', make('h2', layout ? layout.title : document.title), ...body));
  send({method: 'ui/notifications/size-changed', params: {width: main.scrollWidth, height: document.body.scrollHeight}});
}

window.addEventListener('message', event => {
  const message = event.data;
  if (event.source !== window.parent || !message || message.jsonrpc !== '2.0') return;
  if (message.id === 1 && 'result' in message) send({method: 'ui/notifications/initialized', params: {}});
  else if (message.method === 'ui/notifications/tool-result') show(message.params || {});
  else if (message.method && message.id !== undefined) send({id: message.id, result: {}});
});
send({
  id: 1, method: 'ui/initialize',
  params: {protocolVersion: '2026-01-26', appInfo: {name: 'ia', version: '1'}, appCapabilities: {}},
});
