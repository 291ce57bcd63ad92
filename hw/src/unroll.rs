//! A kernel's loops written out, and the indices of its names with them, before RustHDL makes text
//! of it.
//!
//! RustHDL compiles a pattern anew for every name with an index, which is 40 % of an emission's
//! time. The text is the same, byte by byte.
use rust_hdl::core::ast::{
    VerilogBlock, VerilogBlockOrConditional, VerilogConditional, VerilogExpression, VerilogLink, VerilogLinkDetails, VerilogMatch,
    VerilogStatement,
};
use std::collections::HashMap;

/// Values of the loops' variables around a statement, the outermost first.
type Variables = Vec<(String, usize)>;

/// Writes out the loops of `code`, in place.
pub fn unroll(code: &mut VerilogBlock) {
    block(code, &mut Vec::new());
}

fn block(code: &mut VerilogBlock, variables: &mut Variables) {
    let mut out = Vec::with_capacity(code.len());
    for mut statement in std::mem::take(code) {
        match statement {
            VerilogStatement::Loop(l) => {
                for i in l.from.as_usize()..l.to.as_usize() {
                    variables.push((l.index.clone(), i));
                    let mut turn = l.block.clone();
                    block(&mut turn, variables);
                    out.append(&mut turn);
                    variables.pop();
                }
                continue;
            }
            VerilogStatement::Assignment(ref mut to, ref mut value) => [to, value].into_iter().for_each(|e| expression(e, variables)),
            VerilogStatement::SliceAssignment { ref mut base, ref mut offset, ref mut replacement, .. } => {
                [base, offset, replacement].into_iter().for_each(|e| expression(e, variables));
            }
            VerilogStatement::If(ref mut c) => conditional(c, variables),
            VerilogStatement::Match(VerilogMatch { ref mut test, ref mut cases }) => {
                expression(test, variables);
                for case in cases {
                    name(&mut case.condition, variables);
                    block(&mut case.block, variables);
                }
            }
            VerilogStatement::Link(ref mut links) => links.iter_mut().for_each(|l| link(l, variables)),
            VerilogStatement::Macro(ref mut inner) => block(inner, variables),
            VerilogStatement::Comment(_) => {}
        }
        out.push(statement);
    }
    *code = out;
}

fn conditional(c: &mut VerilogConditional, variables: &mut Variables) {
    expression(&mut c.test, variables);
    block(&mut c.then, variables);
    match &mut c.otherwise {
        VerilogBlockOrConditional::Block(b) => block(b, variables),
        VerilogBlockOrConditional::Conditional(s) => {
            if let VerilogStatement::If(c) = s.as_mut() {
                conditional(c, variables);
            }
        }
        VerilogBlockOrConditional::None => {}
    }
}

fn link(l: &mut VerilogLink, variables: &Variables) {
    let (VerilogLink::Forward(d) | VerilogLink::Backward(d) | VerilogLink::Bidirectional(d)) = l;
    let VerilogLinkDetails { my_name, owner_name, other_name } = d;
    [my_name, owner_name, other_name].into_iter().for_each(|n| name(n, variables));
}

fn expression(e: &mut VerilogExpression, variables: &Variables) {
    use VerilogExpression as E;
    match e {
        E::Signal(signal) => name(signal, variables),
        E::Literal(_) => {}
        E::Cast(a, _) | E::Signed(a) | E::Unsigned(a) | E::Paren(a) | E::Unary(_, a) => expression(a, variables),
        E::Binary(a, _, b) | E::Index(a, b) | E::Slice(a, _, b) => [a, b].into_iter().for_each(|e| expression(e, variables)),
        E::IndexReplace(a, b, c) => [a, b, c].into_iter().for_each(|e| expression(e, variables)),
    }
}

/// Puts values in for variables: for the whole name, or in its index, which becomes `$3`. An index
/// that is more than a sum keeps its brackets, and RustHDL computes it.
fn name(of: &mut String, variables: &Variables) {
    // Of two loops with one variable RustHDL takes the outer's value for a name, the inner's in an
    // index.
    if let Some((_, value)) = variables.iter().find(|(v, _)| v == of) {
        *of = value.to_string();
        return;
    }
    let Some((before, rest)) = of.split_once('[') else { return };
    let Some((index, behind)) = rest.split_once(']') else { return };
    let values: HashMap<&str, usize> = variables.iter().map(|(v, i)| (v.as_str(), *i)).collect();
    let index = substituted(index, &values);
    *of = match sum(index.trim_matches(|c: char| "() ".contains(c))) {
        Some(number) => format!("{before}${number}{behind}"),
        None => format!("{before}[{index}]{behind}"),
    };
}

/// The value of a sum of products of numbers: `4*2+3`.
fn sum(of: &str) -> Option<i64> {
    let product = |p: &str| p.split('*').map(|n| n.trim().parse::<i64>().ok()).product::<Option<i64>>();
    match of.rsplit_once(['+', '-']) {
        None => product(of),
        Some((before, last)) => {
            let sign = if of.as_bytes()[before.len()] == b'-' { -1 } else { 1 };
            Some(sum(before)? + sign * product(last)?)
        }
    }
}

/// The expression with its variables' values.
fn substituted(index: &str, values: &HashMap<&str, usize>) -> String {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut out = String::with_capacity(index.len());
    let mut rest = index;
    while let Some(first) = rest.chars().next() {
        let end = rest.find(|c| is_word(c) != is_word(first)).unwrap_or(rest.len());
        let (word, behind) = rest.split_at(end);
        match values.get(word) {
            Some(value) => out += &value.to_string(),
            None => out += word,
        }
        rest = behind;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use rust_hdl::core::verilog_gen::verilog_combinatorial;
    use rust_hdl::prelude::*;

    const N: usize = 3;

    #[derive(LogicBlock)]
    struct Looped {
        clock: Signal<In, Clock>,
        a: [Signal<In, Bits<4>>; N],
        b: [Signal<Out, Bits<4>>; N],
        c: [DFF<Bits<4>>; 6],
    }

    impl Logic for Looped {
        #[hdl_gen]
        fn update(&mut self) {
            for i in 0..6 {
                self.c[i].clock.next = self.clock.val();
                self.c[i].d.next = self.c[i].q.val();
            }
            for i in 0..N {
                self.b[i].next = self.a[i].val() + self.c[i + 1].q.val();
                if self.a[i].val().get_bit(i) {
                    self.c[i].d.next = self.a[0].val();
                } else if self.a[1].val().any() {
                    for j in 0..2 {
                        self.b[i].next = self.a[j].val() + self.c[2 * j + 1].q.val() + self.c[(i + j) / 2].q.val();
                    }
                }
            }
        }
    }

    #[test]
    fn sums_are_computed() {
        let cases = [("7", Some(7)), ("4*2+3", Some(11)), ("9 - 2 - 3", Some(4)), ("(1+2)*3", None), ("9/2", None), ("", None)];
        cases.iter().for_each(|(of, value)| assert_eq!(sum(of), *value, "{of}"));
    }

    #[test]
    fn the_text_is_the_same() {
        let looped =
            Looped { clock: Default::default(), a: Default::default(), b: Default::default(), c: std::array::from_fn(|_| DFF::default()) };
        let Verilog::Combinatorial(mut code) = looped.hdl() else { panic!("a kernel") };
        let expected = verilog_combinatorial(&code);
        unroll(&mut code);
        assert!(!code.iter().any(|s| matches!(s, VerilogStatement::Loop(_))));
        assert!(expected.contains("b$2 = ") && expected.contains("c$3$q"), "{expected}");
        assert_eq!(verilog_combinatorial(&code), expected);
    }
}
