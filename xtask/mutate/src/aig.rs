//! And-inverter graphs: a netlist that yosys wrote as AIGER, and a graph in which copies of it are
//! built that share what is the same. A literal is twice a node's number, and one more where it is
//! inverted; node 0 is constant 0.
use std::collections::HashMap;

/// A literal of a node.
pub type Literal = u32;

/// A netlist: numbered as AIGER does, inputs, latches, gates.
#[derive(Debug, Default)]
pub struct Netlist {
    /// Bits of the inputs and outputs by name.
    pub inputs: HashMap<String, Vec<usize>>,
    pub outputs: HashMap<String, Vec<usize>>,
    input_count: usize,
    /// Drivers of latches and of outputs.
    pub next: Vec<Literal>,
    pub driven: Vec<Literal>,
    gates: Vec<[Literal; 2]>,
}

fn line<'a>(bytes: &mut &'a [u8]) -> Option<&'a str> {
    let end = bytes.iter().position(|b| *b == b'\n')?;
    let text = std::str::from_utf8(&bytes[..end]).ok()?;
    *bytes = &bytes[end + 1..];
    Some(text)
}

// 7 bits a byte, the lowest first.
fn delta(bytes: &mut &[u8]) -> Option<u32> {
    let (mut value, mut shift) = (0, 0);
    loop {
        let (first, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u32::from(first & 0x7f).checked_shl(shift)?;
        if first & 0x80 == 0 {
            return Some(value);
        }
        shift += 7;
    }
}

impl Netlist {
    /// Reads binary AIGER with symbols; none where it is something else.
    pub fn read(mut bytes: &[u8]) -> Option<Self> {
        let head: Vec<usize> = line(&mut bytes)?.strip_prefix("aig ")?.split(' ').map(str::parse).collect::<Result<_, _>>().ok()?;
        let [_, inputs, latches, outputs, gates] = head.try_into().ok()?;
        let mut netlist = Netlist { input_count: inputs, ..Netlist::default() };
        // A latch that begins with 0 has no second field.
        let literal = |bytes: &mut &[u8]| line(bytes)?.parse().ok();
        netlist.next = (0..latches).map(|_| literal(&mut bytes)).collect::<Option<_>>()?;
        netlist.driven = (0..outputs).map(|_| literal(&mut bytes)).collect::<Option<_>>()?;
        for i in 0..gates {
            let own = 2 * (1 + inputs + latches + i) as u32;
            let first = own.checked_sub(delta(&mut bytes)?)?;
            netlist.gates.push([first, first.checked_sub(delta(&mut bytes)?)?]);
        }
        while let Some(text) = line(&mut bytes).filter(|t| *t != "c") {
            let (number, name) = text.split_once(' ')?;
            let (name, bit) = name.strip_suffix(']').and_then(|n| n.rsplit_once('[')).map_or((name, Some(0)), |(n, b)| (n, b.parse().ok()));
            let of = match number.as_bytes().first()? {
                b'i' => &mut netlist.inputs,
                b'o' => &mut netlist.outputs,
                _ => continue,
            };
            let bits = of.entry(name.trim_start_matches('\\').to_owned()).or_default();
            let bit: usize = bit?;
            bits.resize(bits.len().max(bit + 1), usize::MAX);
            bits[bit] = number[1..].parse().ok()?;
        }
        let known = |all: &HashMap<String, Vec<usize>>| all.values().flatten().all(|at| *at != usize::MAX);
        (known(&netlist.inputs) && known(&netlist.outputs)).then_some(netlist)
    }

    /// Inputs.
    pub fn input_count(&self) -> usize {
        self.input_count
    }
}

/// A graph in which equal gates are one.
#[derive(Debug, Clone)]
pub struct Graph {
    /// The gates of a node; none of constant 0 and of variables.
    nodes: Vec<Option<[Literal; 2]>>,
    known: HashMap<[Literal; 2], Literal>,
}

impl Graph {
    /// With nothing but constant 0.
    pub fn new() -> Self {
        Graph { nodes: vec![None], known: HashMap::new() }
    }

    /// A variable.
    pub fn variable(&mut self) -> Literal {
        self.nodes.push(None);
        2 * (self.nodes.len() - 1) as Literal
    }

    /// Both.
    pub fn and(&mut self, a: Literal, b: Literal) -> Literal {
        let (a, b) = (a.min(b), a.max(b));
        if a == 0 || a == b ^ 1 {
            return 0;
        }
        if a == 1 || a == b {
            return b;
        }
        *self.known.entry([a, b]).or_insert_with(|| {
            self.nodes.push(Some([a, b]));
            2 * (self.nodes.len() - 1) as Literal
        })
    }

    /// Either.
    pub fn or(&mut self, a: Literal, b: Literal) -> Literal {
        self.and(a ^ 1, b ^ 1) ^ 1
    }

    /// One of them alone.
    pub fn differ(&mut self, a: Literal, b: Literal) -> Literal {
        if a == b {
            return 0;
        }
        let (left, right) = (self.and(a, b ^ 1), self.and(a ^ 1, b));
        self.or(left, right)
    }

    /// A copy of a netlist: the literals of its latches' next values and of its outputs.
    pub fn copy(&mut self, netlist: &Netlist, inputs: &[Literal], latches: &[Literal]) -> [Vec<Literal>; 2] {
        let mut of: Vec<Literal> = [&[0], inputs, latches].concat();
        let at = |of: &[Literal], l: Literal| of[l as usize / 2] ^ (l & 1);
        for [a, b] in &netlist.gates {
            let gate = self.and(at(&of, *a), at(&of, *b));
            of.push(gate);
        }
        [&netlist.next, &netlist.driven].map(|all| all.iter().map(|l| at(&of, *l)).collect())
    }

    /// Values of all nodes for 64 random values of each variable.
    pub fn simulate(&self, mut random: impl FnMut() -> u64) -> Vec<u64> {
        let mut values: Vec<u64> = Vec::with_capacity(self.nodes.len());
        for (i, node) in self.nodes.iter().enumerate() {
            let at = |values: &[u64], l: Literal| values[l as usize / 2] ^ (u64::from(l & 1)).wrapping_neg();
            let value = match node {
                Some([a, b]) => at(&values, *a) & at(&values, *b),
                None if i == 0 => 0,
                None => random(),
            };
            values.push(value);
        }
        values
    }

    /// AIGER of `latches`, each a variable and its next value, and of one output.
    pub fn aiger(&self, latches: &[(Literal, Literal)], output: Literal) -> Vec<u8> {
        let mut inside = vec![false; self.nodes.len()];
        let roots = latches.iter().flat_map(|(l, next)| [*l, *next]).chain([output]);
        roots.for_each(|l| inside[l as usize / 2] = true);
        for i in (1..self.nodes.len()).rev() {
            if let (true, Some(gate)) = (inside[i], self.nodes[i]) {
                gate.iter().for_each(|l| inside[*l as usize / 2] = true);
            }
        }
        let mut number = vec![0; self.nodes.len()];
        let numbers = |is: &dyn Fn(usize) -> bool| (1..self.nodes.len()).filter(|i| inside[*i] && is(*i)).collect::<Vec<_>>();
        let held: Vec<usize> = latches.iter().map(|(l, _)| *l as usize / 2).collect();
        held.iter().for_each(|i| number[*i] = 1);
        let (variables, gates) = (numbers(&|i| self.nodes[i].is_none() && number[i] == 0), numbers(&|i| self.nodes[i].is_some()));
        variables.iter().chain(&held).chain(&gates).zip(1..).for_each(|(i, n)| number[*i] = n);
        let shown = |l: Literal| 2 * number[l as usize / 2] + (l & 1);
        let [i, l, a] = [&variables, &held, &gates].map(Vec::len);
        let mut bytes = format!("aig {} {i} {l} 1 {a}\n", i + l + a).into_bytes();
        let mut line = |l: Literal| bytes.extend(format!("{}\n", shown(l)).bytes());
        latches.iter().for_each(|(_, next)| line(*next));
        line(output);
        let mut put = |mut delta: u32| {
            while delta > 0x7f {
                bytes.push(delta as u8 | 0x80);
                delta >>= 7;
            }
            bytes.push(delta as u8);
        };
        for i in gates {
            let [a, b] = self.nodes[i].unwrap_or_default().map(shown);
            put(2 * number[i] - a.max(b));
            put(a.abs_diff(b));
        }
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two inputs, a latch that holds their conjunction, and an output that inverts it.
    const TEXT: &[u8] = b"aig 4 2 1 1 1\n8\n7\n\x04\x02i0 a[0]\ni1 b\no0 \\y\nc\nyosys\n";

    #[test]
    fn aiger_is_read() {
        let netlist = Netlist::read(TEXT).expect("a netlist");
        assert_eq!((netlist.next[..].to_vec(), netlist.driven[..].to_vec(), netlist.gates[..].to_vec()), (vec![8], vec![7], vec![[4, 2]]));
        assert_eq!((&netlist.inputs["a"][0], &netlist.inputs["b"][0], &netlist.outputs["y"][0]), (&0, &1, &0));
        assert!(Netlist::read(&TEXT[..19]).is_none() && Netlist::read(b"aag 1 1 0 0 0\n2\n").is_none());
    }

    #[test]
    fn equal_gates_are_one() {
        let mut graph = Graph::new();
        let [a, b] = [graph.variable(), graph.variable()];
        let [x, y] = [graph.and(a, b), graph.and(b, a)];
        assert!(x == y && graph.and(a, 1) == a && graph.and(a, a ^ 1) == 0 && graph.differ(x, y) == 0);
        let difference = graph.differ(a, b);
        let mut values = [0b0101, 0b0011].into_iter();
        assert_eq!(
            graph.simulate(|| values.next().expect("two variables"))[difference as usize / 2] ^ (u64::from(difference & 1)).wrapping_neg(),
            0b0110
        );
        let netlist = Netlist::read(TEXT).expect("a netlist");
        assert_eq!(graph.copy(&netlist, &[a, b], &[x]), [vec![x], vec![x ^ 1]]);
        assert_eq!(graph.aiger(&[], x), b"aig 3 2 0 1 1\n6\n\x02\x02");
        // As what was read, but for what the output is.
        assert_eq!(graph.aiger(&[(b, x)], b), b"aig 3 1 1 1 1\n6\n4\n\x02\x02");
    }
}
