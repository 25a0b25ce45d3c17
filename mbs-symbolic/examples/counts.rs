fn main() {
    for path in std::env::args().skip(1) {
        let src = std::fs::read_to_string(&path).unwrap();
        let t = std::time::Instant::now();
        match mbs_symbolic::compile(&path, &src, &mbs_symbolic::model::NoFiles, Default::default()) {
            Ok(c) => {
                println!("{path}: {:?} nodes {}", t.elapsed(), c.equations.graph.len());
                for (k, f) in c.program.functions() {
                    let n = f.counts();
                    if n.total() > 0 {
                        println!(
                            "   {k:?}: flops {} trig {} sqrt {} other {}",
                            n.add + n.mul + n.div,
                            n.trig,
                            n.sqrt,
                            n.other
                        );
                    }
                }
            }
            Err(e) => println!("{path}: {e}"),
        }
    }
}
